import type { ColumnType } from '../../../manifests/reader/schema';
import { queryError } from '../errors/query-error';
import { valueSynonym } from '../names/foreign-columns';
import { operatorSynonym } from '../names/foreign-operators';
import { isLocalDate } from '../time/local-time';
import { isEnabled, wordsOf } from '../types/contract';
import { type FilterOperator, isOrderTest, type ParsedCondition, type Scalar } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { certainly, probably, type Repair, write } from '../types/repair';
import type { BoundColumn, ResolvedCondition, ResolvedTest, ResolvedValue } from '../types/resolved-query';
import type { Binding } from './binding';
import { valueTypeOf } from './value-types';

interface OtherColumns {
  readonly find: (name: string, place: Path) => BoundColumn;
  readonly typeOf: (name: string) => ColumnType | undefined;
}

/** Checks the values of a condition against the type of its column, and applies unambiguous repairs. */
export function resolveCondition(
  parsed: ParsedCondition,
  column: BoundColumn,
  others: OtherColumns,
  binding: Binding,
): ResolvedCondition {
  const { operator, path } = parsed;
  const { type, name } = column;
  const operators = Object.entries(wordsOf(binding.contract, 'filter_operators')).flatMap(
    ([key, { types }]) => (types.includes(type) ? [key] : []),
  );
  if (!operators.includes(operator)) {
    const given = { operator, column: name, type, operators };
    throw queryError('E_FILTER_INVALID operator-for-type', formatPath(path), given);
  }
  if ('other' in parsed) {
    const place = [...path, 'column'];
    const other = others.find(parsed.other, place);
    const given = { column: name, type, other: other.name, otherType: other.type };
    if (type === 'id' && other.type === 'id' && column.identifies !== other.identifies)
      throw queryError('E_FILTER_INVALID other-ids', formatPath(place), given);
    if (FAMILIES[other.type] === FAMILIES[type]) return { column, operator: parsed.operator, other };
    throw queryError('E_FILTER_INVALID other-type', formatPath(place), given);
  }
  const read = (value: Scalar, place: Path): ResolvedValue => {
    const meant = meantByWord(parsed, column, value, place, binding);
    if (meant !== undefined) {
      const given = { column: name, received: value };
      const repair = certainly(write(place, meant));
      binding.note(queryError('E_FILTER_INVALID synonym', formatPath(place), given, repair));
    }
    return readValue(meant ?? value, place);
  };
  const readValue = (value: Scalar, place: Path): ResolvedValue => {
    const { read, expected, repaired } = valueTypeOf(column);
    const resolved = read(value, binding.zone);
    if (resolved !== undefined) return resolved;
    const corrected = binding.meant(() => repaired?.(value));
    const given = { column: name, received: value };
    if (type === 'datetime' && isWholeDay(operator, value) && corrected !== undefined) {
      const fault = name === 'access_time' ? 'E_FILTER_INVALID day-of-view' : 'E_FILTER_INVALID day';
      throw queryError(fault, formatPath(place), { ...given, first: corrected.value });
    }
    const hint = value === null ? 'null' : undefined;
    binding.note(
      queryError(
        'E_FILTER_INVALID wrong-type',
        formatPath(place),
        { ...given, type, expected, operators, hint },
        corrected === undefined
          ? binding.meant(() => comparison(value, place))
          : { certain: corrected.certain, edits: [write(place, corrected.value)] },
      ),
    );
    return readValue(corrected?.value ?? null, place);
  };
  // A string in place of a number may be a column name, or contain an operator.
  const comparison = (value: Scalar, place: Path): Repair | undefined => {
    if (typeof value !== 'string') return undefined;
    const [, symbol = '', number] = /^\s*([<>=!]{1,2})\s*(-?\d{1,15}(?:\.\d{1,6})?)\s*$/.exec(value) ?? [];
    const signed = operatorSynonym(symbol, operators);
    if (signed !== undefined && FAMILIES[type] === 'number' && place.at(-1) === name)
      return probably(write(place, { [signed]: Number(number) }));
    const bare = value.slice(value.lastIndexOf('.') + 1);
    const other = others.typeOf(bare);
    const isOrder = isOrderTest(operator) && place.at(-1) === operator;
    if (other === undefined || !isOrder || !isEnabled(binding.contract, 'filter_columns')) return undefined;
    return FAMILIES[other] === FAMILIES[type] ? probably(write(place, { column: bare })) : undefined;
  };
  return { column, test: resolveTest(parsed, read) };
}

/** Values of types in the same family are comparable. */
const FAMILIES: Readonly<Record<ColumnType, string>> = {
  id: 'number',
  int: 'number',
  num: 'number',
  flag: 'number',
  text: 'text',
  datetime: 'datetime',
  date: 'date',
};

/** Whether replacing a day with its first second would change the meaning. */
const isWholeDay = (operator: FilterOperator, value: Scalar): value is string =>
  typeof value === 'string' && isLocalDate(value.trim()) && operator !== 'gte' && operator !== 'lt';

/** The text or number that a word means. Throws if the column can never contain this text. */
function meantByWord(
  { operator }: ParsedCondition,
  { name, known }: BoundColumn,
  value: Scalar,
  place: Path,
  binding: Binding,
): string | number | undefined {
  if (known === undefined || typeof value !== 'string') return undefined;
  const word = binding.meant(() => valueSynonym(name, value));
  if ('words' in known) {
    const folded = (word ?? value).trim().toLowerCase();
    return Object.entries(known.words).find(([text]) => text.toLowerCase() === folded)?.[1];
  }
  if (!['eq', 'neq', 'in', 'not_in'].includes(operator)) return undefined;
  if (word !== undefined || known.texts.includes(value)) return word;
  const given = { column: name, received: value, values: known.texts };
  throw queryError('E_FILTER_INVALID no-value', formatPath(place), given);
}

function resolveTest(
  parsed: Exclude<ParsedCondition, { readonly other: string }>,
  read: (value: Scalar, place: Path) => ResolvedValue,
): ResolvedTest {
  const { path } = parsed;
  if ('values' in parsed) {
    const values = parsed.values.map((value, index) => read(value, [...path, index]));
    return { operator: parsed.operator, values };
  }
  if ('low' in parsed)
    return {
      operator: parsed.operator,
      low: read(parsed.low, [...path, 0]),
      high: read(parsed.high, [...path, 1]),
    };
  const { operator } = parsed;
  if (parsed.value === null && operator === 'eq') return { operator: 'is-null' };
  if (parsed.value === null && operator === 'neq') return { operator: 'is-not-null' };
  return { operator, value: read(parsed.value, path) };
}
