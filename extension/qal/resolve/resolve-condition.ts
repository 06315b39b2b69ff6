// Owns the check of a filter's values against the type of its column.
// parsed test -> test with values of the column's type; throws E_FILTER_INVALID.
import type { Contract } from '../../contracts/contract';
import { queryError } from '../../errors/query-error';
import { valueSynonym } from '../names/synonyms';
import type { ParsedCondition, Scalar } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { certainly, write } from '../types/repair';
import type { BoundColumn, ResolvedCondition, ResolvedTest, ResolvedValue } from '../types/resolved-query';
import { VALUE_TYPES } from './value-types';

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
    // Events may have a parameter of any name, with words of their own.
    if (column.origin.kind !== 'computed') refuseSynonym(parsed, name, value, place);
    const { read: readValue, expected, repaired } = VALUE_TYPES[type];
    const resolved = readValue(value, zone);
    if (resolved !== undefined) return resolved;
    const right = repaired?.(value);
    throw queryError(
      'E_FILTER_INVALID',
      formatPath(place),
      { problem: 'value', column: name, type, received: value, expected, operators },
      right && { certain: right.certain, edits: [write(place, right.value)] },
    );
  };
  return { column, test: resolveTest(parsed, read) };
}

/** A word for a value that the column calls otherwise would find nothing. */
function refuseSynonym({ operator }: ParsedCondition, column: string, value: Scalar, place: Path): void {
  if (typeof value !== 'string' || !['eq', 'neq', 'in'].includes(operator)) return;
  const meant = valueSynonym(column, value);
  if (meant === undefined) return;
  throw queryError(
    'E_FILTER_INVALID',
    formatPath(place),
    { problem: 'synonym', column, received: value },
    certainly(write(place, meant)),
  );
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
