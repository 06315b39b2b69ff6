// Owns the correction of a wrong query: the certain repairs of its faults, one after the other, until nothing is wrong.
// error + body -> the error, with the corrected query in `details.repaired`. Never runs a query, never guesses.
import { QueryError } from './errors/query-error';
import { type JsonDocument, readJson } from './qal/parse/json-document';
import { withEdit } from './qal/types/edit-query';
import { isJsonObject, type JsonValue } from './qal/types/json';

type Prepare = (body: string) => Promise<unknown>;

/** Longer bodies are not written by hand, and trying them again and again would cost time. */
const LONGEST_BODY = 16_384;
const MOST_FAULTS = 64;

/** The error of a body, with the query that can be sent instead when there is only one. */
export async function withRepairedQuery(error: unknown, body: string, prepare: Prepare): Promise<unknown> {
  if (!(error instanceof QueryError) || error.repair?.certain !== true || body.length > LONGEST_BODY)
    return error;
  const query = queryIn(readJson(body));
  const repaired = query === undefined ? undefined : await repairedQuery(query, error, prepare);
  return repaired === undefined ? error : error.withRepaired(repaired);
}

async function repairedQuery(
  wrong: JsonValue,
  first: QueryError,
  prepare: Prepare,
): Promise<JsonValue | undefined> {
  let query = wrong;
  let fault: QueryError | undefined = first;
  const tried = new Set<string>();
  while (fault?.repair?.certain === true && tried.size < MOST_FAULTS) {
    query = fault.repair.edits.reduce(withEdit, query);
    const text = JSON.stringify(query);
    if (tried.has(text)) return undefined;
    tried.add(text);
    fault = await faultOf(text, prepare);
  }
  return fault === undefined ? query : undefined;
}

async function faultOf(body: string, prepare: Prepare): Promise<QueryError | undefined> {
  try {
    await prepare(body);
    return undefined;
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
}

/** The query without its wrapper; none where JavaScript would send its keys in another order than they came in. */
function queryIn(document: JsonDocument): JsonValue | undefined {
  const { value } = document;
  const query = isJsonObject(value) && isJsonObject(value.qal) ? value.qal : value;
  return keepsOrder(query, document) ? query : undefined;
}

function keepsOrder(value: JsonValue, document: JsonDocument): boolean {
  if (value === null || typeof value !== 'object') return true;
  const written = document.keysOf(value);
  return (
    (!isJsonObject(value) || Object.keys(value).every((key, index) => key === written[index])) &&
    Object.values(value).every((item) => keepsOrder(item, document))
  );
}
