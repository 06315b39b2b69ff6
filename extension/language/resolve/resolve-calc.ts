import type { ColumnType } from '../../../manifests/reader/schema';
import { featureError } from '../errors/feature-error';
import { queryError } from '../errors/query-error';
import { type Arithmetic, divides, mapValues, valuesOf, valueTerm } from '../types/arithmetic';
import { isEnabled } from '../types/contract';
import type { CalcFunction, ParsedCalc, ParsedCall, ParsedView } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import type { CalcFilter, ResolvedCalc, ResolvedCall } from '../types/resolved-query';
import type { Binding } from './binding';
import { type CalcPlace, findCalcColumn, namesOf, type Sides, withOwnNames } from './find-column';
import { resolveFilter } from './resolve-filter';

export function resolveCalc(
  calc: ParsedCalc,
  view: ParsedView,
  sides: Sides,
  binding: Binding,
): ResolvedCalc {
  const place = calc.path;
  const text = binding.meant(() => withOwnNames(calc, sides)) ?? calc.written;
  const isSingleCall = calc.value.kind === 'value';
  const read = mapValues(calc.value, (call) => {
    const resolved = resolveCall(call, sides, { place, repaired: text, calcs: view.calc }, binding);
    return valueTerm({ ...resolved, reference: call.reference });
  });
  if (!isSingleCall) checkNumber(read, place, binding);
  const unfiltered = mapValues(read, ({ reference, ...call }) => valueTerm(call));
  const calls = valuesOf(unfiltered);
  const [only] = calls;
  const filter = filterOf(calc, calls, view, sides, binding);
  const value =
    filter === null ? unfiltered : mapValues(unfiltered, (call) => valueTerm({ ...call, filter }));
  return {
    name: calc.name,
    value,
    type: isSingleCall && only !== undefined ? typeOf(only) : 'num',
    nullable: divides(value) || calls.some((call) => NULL_WITHOUT_VALUES.has(call.function)),
  };
}

/** The filter of a calc, on the only source that its calls read. */
function filterOf(
  { name, filter, path }: ParsedCalc,
  calls: readonly ResolvedCall[],
  view: ParsedView,
  sides: Sides,
  binding: Binding,
): CalcFilter | null {
  const [side = 'from', other] = new Set(calls.map(({ column }) => column.side));
  const source = sides[side];
  if (filter.length === 0 || source === null) return null;
  if (other !== undefined)
    throw queryError('E_CALC_INVALID_EXPRESSION filter-sources', formatPath(path), {
      sources: namesOf(sides),
    });
  const only = { from: source, with: null, join: null };
  return { calc: name, parts: resolveFilter(filter, { filter, calc: view.calc }, only, binding) };
}

function resolveCall(call: ParsedCall, sides: Sides, calc: CalcPlace, binding: Binding): ResolvedCall {
  const column = findCalcColumn(sides, call, calc, binding);
  const types = binding.contract.rules.request.calc_functions[call.function]?.types ?? [];
  if (!types.includes(column.type)) {
    throw queryError('E_CALC_INVALID_EXPRESSION type', formatPath(calc.place), {
      function: call.function,
      column: column.name,
      type: column.type,
      types,
    });
  }
  return { function: call.function, column, share: call.share, filter: null };
}

type ReadCall = ResolvedCall & Pick<ParsedCall, 'reference'>;

/** The feature for the difference between two datetimes, in seconds. */
const DURATIONS = 'calc_durations';

/** Checks that a part of an expression is a number: a numeric value, or the difference between two datetimes. */
function checkNumber(part: Arithmetic<ReadCall>, place: Path, binding: Binding): void {
  const { contract } = binding;
  const hasDurations = isEnabled(contract, DURATIONS);
  if (part.kind === 'operation') {
    if (part.operator === '-' && isInstant(part.left) && isInstant(part.right)) {
      if (hasDurations) return;
      throw featureError(contract, DURATIONS, formatPath(place));
    }
    checkNumber(part.left, place, binding);
    checkNumber(part.right, place, binding);
  }
  if (part.kind !== 'value') return;
  const { function: fn, reference } = part.value;
  const type = typeOf(part.value);
  if (type === 'int' || type === 'num') return;
  throw queryError('E_CALC_INVALID_EXPRESSION no-number', formatPath(place), {
    function: fn,
    reference: `${reference.prefix}.${reference.column}`,
    type,
    hint: type === 'date' ? 'dates' : hasDurations && type === 'datetime' ? 'duration' : undefined,
  });
}

const isInstant = (part: Arithmetic<ReadCall>): boolean =>
  part.kind === 'value' && typeOf(part.value) === 'datetime';

const sumType = (type: ColumnType): ColumnType => (type === 'num' ? 'num' : 'int');
const valueType = (type: ColumnType): ColumnType => (type === 'flag' || type === 'id' ? 'int' : type);
const typeBetween = (type: ColumnType): ColumnType => (type === 'datetime' ? 'datetime' : 'num');

const RESULT_TYPES: Readonly<Record<CalcFunction, (type: ColumnType) => ColumnType>> = {
  COUNT: () => 'int',
  COUNTUNIQUE: () => 'int',
  SUM: sumType,
  AVERAGE: () => 'num',
  MIN: valueType,
  MAX: valueType,
  MEDIAN: typeBetween,
  PERCENTILE: typeBetween,
};

const typeOf = (call: ResolvedCall): ColumnType => RESULT_TYPES[call.function](call.column.type);

/** Functions that return null if there are no values. */
const NULL_WITHOUT_VALUES: ReadonlySet<CalcFunction> = new Set([
  'AVERAGE',
  'MIN',
  'MAX',
  'MEDIAN',
  'PERCENTILE',
]);
