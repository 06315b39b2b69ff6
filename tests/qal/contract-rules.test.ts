// The contract's manifest is what clients read; the schema is what checks their queries. Both must say the same.
import { installedContracts } from '../../extension/contracts/choose-contract';
import { querySchema } from '../../extension/qal/parse/query-schema';
import { CALC_FUNCTIONS, FILTER_OPERATORS } from '../../extension/qal/types/parsed-query';
import { loadManifest } from '../../manifests/reader/manifest';

const contracts = installedContracts(loadManifest()).map((contract) => [contract.version, contract] as const);

test.each(contracts)('%s', (_version, contract) => {
  const { request } = contract.rules;
  const { shape } = querySchema(contract);
  expect(Object.keys(shape).sort()).toEqual([...request.required].sort());
  expect(Object.keys(shape.result.shape).sort()).toEqual([...request.result_keys].sort());
  expect(Object.keys(request.filter_operators).sort()).toEqual([...FILTER_OPERATORS].sort());
  expect(Object.keys(request.calc_functions).sort()).toEqual([...CALC_FUNCTIONS].sort());
  expect(request.sort_orders).toEqual(['asc', 'desc']);
  expect(request.time_format).toBe('YYYY-MM-DDTHH:mm:ss');
});
