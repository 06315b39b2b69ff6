// Owns the first phase: what was asked, checked for shape alone.
// body text -> ParsedQuery, or the first fault in document order (tracking_id, materials, time, make, result).
import type { Contract } from '../../contracts/contract';
import { queryError } from '../../errors/query-error';
import { isJsonObject, type JsonObject } from '../types/json';
import type { ParsedQuery } from '../types/parsed-query';
import type { Path } from '../types/path';
import { crossChecks, type PlacedFault } from './cross-checks';
import { type JsonDocument, readJson } from './json-document';
import { querySchema } from './query-schema';
import { readQuery } from './read-query';
import { explainFault } from './shape-faults';
import { explainBesideQal, explainUnknownKey } from './unknown-key-faults';

const SECTIONS = ['tracking_id', 'materials', 'time', 'make', 'result'];
const schemas = new WeakMap<Contract, ReturnType<typeof querySchema>>();

/** Parses a request body under a contract; `zones` are the time zones that a query may name. */
export function parseQuery(text: string, contract: Contract, zones: ReadonlySet<string>): ParsedQuery {
  const document = readJson(text);
  const { query: sent, prefix } = unwrap(document, contract);
  const query = withoutIgnored(sent);
  const checked = schemaOf(contract).safeParse(query);
  const faults = [...schemaFaults(checked.error, query, contract), ...crossChecks(query, contract, zones)];
  const first = firstInDocument(faults, document, prefix);
  if (first !== undefined) throw first.explain();
  if (!checked.success) throw new Error('The schema refused a query without naming a fault.');
  return readQuery(query as typeof checked.data, document, contract);
}

/** Takes the query out of `{"qal": ...}`; the bare query is accepted as well. */
function unwrap(
  { value }: JsonDocument,
  contract: Contract,
): { readonly query: JsonObject; readonly prefix: Path } {
  if (!isJsonObject(value))
    throw queryError('E_INVALID_JSON', undefined, { problem: 'not-object', received: value });
  if (value.qal === undefined) return { query: value, prefix: [] };
  const other = Object.keys(value).find((key) => key !== 'qal');
  if (other !== undefined) {
    throw explainBesideQal(other, value[other], contract);
  }
  if (!isJsonObject(value.qal))
    throw queryError('E_INVALID_JSON', 'qal', { problem: 'not-object', received: value.qal });
  return { query: value.qal, prefix: ['qal'] };
}

/** count_only: true makes `limit` meaningless, so it cannot be wrong either. */
function withoutIgnored(query: JsonObject): JsonObject {
  const { result } = query;
  if (!isJsonObject(result) || result.count_only !== true) return query;
  const rest = Object.fromEntries(Object.entries(result).filter(([key]) => key !== 'limit'));
  return { ...query, result: rest };
}

function schemaOf(contract: Contract): ReturnType<typeof querySchema> {
  const known = schemas.get(contract) ?? querySchema(contract);
  schemas.set(contract, known);
  return known;
}

type SchemaError = ReturnType<ReturnType<typeof querySchema>['safeParse']>['error'];

function schemaFaults(error: SchemaError, query: JsonObject, contract: Contract): readonly PlacedFault[] {
  return (error?.issues ?? []).flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code === 'unrecognized_keys' && path[2] !== 'filter') {
      return issue.keys.map((key) => ({
        path: [...path, key],
        explain: () => explainUnknownKey(path, key, query, contract),
      }));
    }
    return [{ path, explain: () => explainFault(path, query, contract) }];
  });
}

/** The first fault in document order; keys that no query has come before all sections. */
function firstInDocument(
  faults: readonly PlacedFault[],
  document: JsonDocument,
  prefix: Path,
): PlacedFault | undefined {
  let first: { readonly fault: PlacedFault; readonly section: number; readonly offset: number } | undefined;
  for (const fault of faults) {
    const section = SECTIONS.indexOf(String(fault.path[0]));
    const offset = document.offsetOf([...prefix, ...fault.path]);
    const isEarlier =
      first === undefined || section < first.section || (section === first.section && offset < first.offset);
    if (isEarlier) first = { fault, section, offset };
  }
  return first?.fault;
}
