// The text of a query that was understood, for its record. Without values, each value of a filter is "?".
import type { QueryDocument } from '../../language/parse/read-document';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../language/types/json';

/** null where there is no query. */
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

/** The items distinguish a list of values from a list of filters. */
const isListOfFilters = (test: JsonValue): test is readonly JsonValue[] =>
  isJsonList(test) && test.every(isJsonObject);

/** The name of another column stays. */
const operandWithoutValues = (operand: JsonValue): JsonValue => (isJsonObject(operand) ? operand : HIDDEN);

/** An object with each of its values changed; "?" for what is no object. */
const changeEach = (
  value: JsonValue | undefined,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject | typeof HIDDEN =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each, name)]))
    : HIDDEN;
