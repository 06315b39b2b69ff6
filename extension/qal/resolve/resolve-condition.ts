// Owns the check of a filter's values against the type of its column.
// parsed test -> test with values of the column's type; throws E_FILTER_INVALID.
import type { Contract } from '../../contracts/contract';
import { queryError } from '../../errors/query-error';
import { isLocalDate } from '../../time/local-time';
import { valueSynonym } from '../names/synonyms';
import type { FilterOperator, ParsedCondition, Scalar } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { certainly, write } from '../types/repair';
import type {
  BoundColumn,
  KnownValues,
  ResolvedCondition,
  ResolvedTest,
  ResolvedValue,
} from '../types/resolved-query';
import { valueTypeOf } from './value-types';

/** Checks one condition; `zone` is the query's time zone, in which local texts are read. */
export function resolveCondition(
  parsed: ParsedCondition,
  column: BoundColumn,
  contract: Contract,
  zone: string,
): ResolvedCondition {
  const { operator, path } = parsed;
  const { type, name } = column;
  const known = contract.rules.request.filter_operators;
  const operators = Object.keys(known).filter((key) => known[key]?.types.includes(type));
  if (!operators.includes(operator)) {
    throw queryError('E_FILTER_INVALID', formatPath(path), {
      problem: 'operator-for-type',
      operator,
      column: name,
      type,
      operators,
    });
  }
  const read = (value: Scalar, place: Path): ResolvedValue => {
    refuseWord(parsed, column, value, place);
    const { read: readValue, expected, repaired } = valueTypeOf(column);
    const resolved = readValue(value, zone);
    if (resolved !== undefined) return resolved;
    const right = repaired?.(value);
    if (type === 'datetime' && isWholeDay(operator, value) && right !== undefined) {
      const dates = name === 'access_time' ? 'access_date' : undefined;
      const first = String(right.value);
      throw queryError('E_FILTER_INVALID', formatPath(place), {
        problem: 'day',
        column: name,
        received: value,
        first,
        dates,
      });
    }
    throw queryError(
      'E_FILTER_INVALID',
      formatPath(place),
      { problem: 'value', column: name, type, received: value, expected, operators },
      right && { certain: right.certain, edits: [write(place, right.value)] },
    );
  };
  return { column, test: resolveTest(parsed, read) };
}

/** Whether a day stands where its first second would not be the same. */
const isWholeDay = (operator: FilterOperator, value: Scalar): value is string =>
  typeof value === 'string' && isLocalDate(value.trim()) && operator !== 'gte' && operator !== 'lt';

/** A text that a column of known values does not have would find nothing; a word for one of them stands for it. */
function refuseWord({ operator }: ParsedCondition, column: BoundColumn, value: Scalar, place: Path): void {
  const { name, known } = column;
  if (known === undefined || typeof value !== 'string' || !['eq', 'neq', 'in'].includes(operator)) return;
  const meant = meantValue(name, known, value);
  if (meant !== undefined) {
    const repair = certainly(write(place, meant));
    throw queryError(
      'E_FILTER_INVALID',
      formatPath(place),
      { problem: 'synonym', column: name, received: value },
      repair,
    );
  }
  if (!('texts' in known) || known.texts.includes(value)) return;
  const parameters = { problem: 'no-value', column: name, received: value, values: known.texts } as const;
  throw queryError('E_FILTER_INVALID', formatPath(place), parameters);
}

/** The text or the number that a word stands for. */
function meantValue(column: string, known: KnownValues, value: string): string | number | undefined {
  const word = valueSynonym(column, value);
  if ('texts' in known) return word;
  const folded = String(word ?? value)
    .trim()
    .toLowerCase();
  return Object.entries(known.words).find(([name]) => name.toLowerCase() === folded)?.[1];
}

function resolveTest(
  parsed: ParsedCondition,
  read: (value: Scalar, place: Path) => ResolvedValue,
): ResolvedTest {
  switch (parsed.operator) {
    case 'in':
      return {
        operator: 'in',
        values: parsed.values.map((value, index) => read(value, [...parsed.path, index])),
      };
    case 'between':
      return {
        operator: 'between',
        low: read(parsed.low, [...parsed.path, 0]),
        high: read(parsed.high, [...parsed.path, 1]),
      };
    case 'eq':
    case 'neq':
      if (parsed.value === null) return { operator: parsed.operator === 'eq' ? 'is-null' : 'is-not-null' };
      return { operator: parsed.operator, value: read(parsed.value, parsed.path) };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'contains':
    case 'prefix':
      return { operator: parsed.operator, value: read(parsed.value, parsed.path) };
  }
}
