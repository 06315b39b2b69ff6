// The text of a valid query, for its record. Without values, each filter value is replaced with "?".
import type { QueryDocument } from '../../language/parse/read-document';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../language/types/json';

export function queryText({ query }: QueryDocument, withValues: boolean): string | null {
  if (query === null) return null;
  return JSON.stringify(withValues ? query : { ...query, make: changeEach(query.make, viewWithoutValues) });
}

const HIDDEN = '?';

const viewWithoutValues = (view: JsonValue): JsonValue =>
  isJsonObject(view) && view.filter !== undefined
    ? { ...view, filter: filterWithoutValues(view.filter) }
    : view;

const filterWithoutValues = (filter: JsonValue): JsonValue =>
  changeEach(filter, (test, name) =>
    name === 'any' && isListOfFilters(test)
      ? test.map(filterWithoutValues)
      : changeEach(test, operandWithoutValues),
  );

/** A filter named `any` may also be on a column of that name, with a list of values. */
const isListOfFilters = (test: JsonValue): test is readonly JsonValue[] =>
  isJsonList(test) && test.every(isJsonObject);

/** An object names another column, which is not a value. */
const operandWithoutValues = (operand: JsonValue): JsonValue => (isJsonObject(operand) ? operand : HIDDEN);

/** Maps each value in an object; anything else becomes "?". */
const changeEach = (
  value: JsonValue | undefined,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject | typeof HIDDEN =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each, name)]))
    : HIDDEN;
