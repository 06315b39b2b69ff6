// Owns the conditions of other languages that a filter says in another form.
// what was written -> the same condition in ours, as JSON; undefined where anything of it would be left out.
import { operatorSynonym } from '../names/synonyms';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../types/json';

/** Keys that clients write for the parts of a condition. */
const COLUMN = ['column', 'field', 'name', 'key'];
const OPERATOR = ['op', 'operator', 'comparison'];
const VALUE = ['value', 'values'];

/** Keys for both ends of a range. */
const ENDS: readonly (readonly [low: string, high: string])[] = [
  ['min', 'max'],
  ['low', 'high'],
  ['from', 'to'],
  ['start', 'end'],
];

/** `{"op": "gte", "value": 2}` -> `{"gte": 2}`. */
export function splitCondition(received: JsonObject): JsonObject | undefined {
  const { operator, value } = partsOf(received);
  const known = typeof operator === 'string' ? operatorSynonym(operator) : undefined;
  const isWhole = Object.keys(received).length === 2 && value !== undefined;
  return isWhole && known !== undefined ? { [known]: value } : undefined;
}

/** `[{"column": "pv", "op": "gte", "value": 2}]` -> `{"pv": {"gte": 2}}`; a column may stand there once. */
export function listedConditions(received: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonList(received) || received.length === 0) return undefined;
  const entries = received.map((entry) => (isJsonObject(entry) ? listedCondition(entry) : undefined));
  const known = entries.filter((entry) => entry !== undefined);
  const filter = Object.fromEntries(known);
  return Object.keys(filter).length === received.length ? filter : undefined;
}

function listedCondition(entry: JsonObject): readonly [string, JsonValue] | undefined {
  const { column, operator, value } = partsOf(entry);
  if (typeof column !== 'string' || value === undefined) return undefined;
  const { length } = Object.keys(entry);
  if (operator === undefined) return length === 2 ? [column, value] : undefined;
  const known = typeof operator === 'string' ? operatorSynonym(operator) : undefined;
  return length === 3 && known !== undefined ? [column, { [known]: value }] : undefined;
}

function partsOf(received: JsonObject) {
  const part = (keys: readonly string[]): JsonValue | undefined => {
    const key = keys.find((name) => Object.hasOwn(received, name));
    return key === undefined ? undefined : received[key];
  };
  return { column: part(COLUMN), operator: part(OPERATOR), value: part(VALUE) };
}

/** `{"min": 1, "max": 2}` -> `[1, 2]`. */
export function rangeOf(operand: JsonValue | undefined): readonly JsonValue[] | undefined {
  if (!isJsonObject(operand) || Object.keys(operand).length !== 2) return undefined;
  const [low, high] = ENDS.find((keys) => keys.every((key) => Object.hasOwn(operand, key))) ?? [];
  if (low === undefined || high === undefined) return undefined;
  const [first, last] = [operand[low], operand[high]];
  return first === undefined || last === undefined ? undefined : [first, last];
}

const LOGIC: ReadonlyMap<string, 'and' | 'or'> = new Map([
  ['and', 'and'],
  ['all', 'and'],
  ['or', 'or'],
  ['any', 'or'],
]);

/** What a key of a filter joins conditions by, as no filter here does. */
export const joinsConditions = (key: string): 'and' | 'or' | undefined =>
  LOGIC.get(key.slice(0, 8).toLowerCase().replace('$', ''));
