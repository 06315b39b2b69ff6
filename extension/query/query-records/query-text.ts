// The text of a valid query, for its record. Without values, each filter value is replaced with "?".
import type { QueryDocument } from '../../language/parse/read-document';
import { filterListNamed, isListOfFilters } from '../../language/types/filter-lists';
import { isJsonObject, type JsonObject, type JsonValue } from '../../language/types/json';

export function queryText({ query }: QueryDocument, withValues: boolean): string | null {
  if (query === null) return null;
  return JSON.stringify(withValues ? query : { ...query, make: changeEach(query.make, viewWithoutValues) });
}

const HIDDEN = '?';

const viewWithoutValues = (view: JsonValue): JsonValue => {
  if (!isJsonObject(view)) return view;
  const { filter, calc } = view;
  return {
    ...view,
    ...(filter === undefined ? {} : { filter: filterWithoutValues(filter) }),
    ...(calc === undefined ? {} : { calc: changeEach(calc, calcWithoutValues) }),
  };
};

const calcWithoutValues = (calc: JsonValue): JsonValue =>
  isJsonObject(calc) && calc.filter !== undefined
    ? { ...calc, filter: filterWithoutValues(calc.filter) }
    : calc;

const filterWithoutValues = (filter: JsonValue): JsonValue =>
  changeEach(filter, (test, name) => {
    const list = filterListNamed(name);
    return list !== undefined && isListOfFilters(test)
      ? test.map(filterWithoutValues)
      : changeEach(test, operandWithoutValues);
  });

/** An object names a column, which is not a value. */
const operandWithoutValues = (operand: JsonValue): JsonValue => (isJsonObject(operand) ? operand : HIDDEN);

/** Maps each value in an object; anything else is replaced with "?". */
const changeEach = (
  value: JsonValue | undefined,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject | typeof HIDDEN =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each, name)]))
    : HIDDEN;
