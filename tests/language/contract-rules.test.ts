// The manifest of a contract, which clients read, must agree with the schema that checks queries.
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { querySchema } from '../../extension/language/parse/query-schema';
import { isEnabled } from '../../extension/language/types/contract';
import { CALC_FUNCTIONS, FILTER_OPERATORS, JOIN_MODES } from '../../extension/language/types/parsed-query';
import { loadManifest } from '../../manifests/reader/manifest';

const contracts = installedContracts(loadManifest()).map((contract) => [contract.version, contract] as const);

// conformance: service.guide-serves-live, view.other-operators
test.each(contracts)('%s', (_version, contract) => {
  const { request } = contract.rules;
  const { shape } = querySchema(contract);
  expect(Object.keys(shape).sort()).toEqual([...request.required].sort());
  expect(Object.keys(shape.result.shape).sort()).toEqual([...request.result_keys].sort());
  // If a contract does not have a clause, it has none of that clause's keywords.
  const words = (feature: string, all: readonly string[]) => (isEnabled(contract, feature) ? [...all] : []);
  expect(Object.keys(request.filter_operators).sort()).toEqual(words('filter', FILTER_OPERATORS).sort());
  expect(Object.keys(request.calc_functions).sort()).toEqual(words('calc', CALC_FUNCTIONS).sort());
  expect(Object.keys(request.join_modes)).toEqual(words('join', JOIN_MODES));
  expect(request.sort_orders).toEqual(words('sort', ['asc', 'desc']));
  expect(request.time_format).toBe('YYYY-MM-DDTHH:mm:ss');
});
