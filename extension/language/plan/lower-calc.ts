// Lowers a view's calc to aggregates, and to per-group arithmetic on their results.
import type { ColumnType } from '../../../manifests/reader/schema';
import {
  type Arithmetic,
  type ExactColumn,
  mapValues,
  operation,
  valueTerm,
  whole,
} from '../types/arithmetic';
import type { CalcFunction } from '../types/parsed-query';
import { type Aggregate, type ComputedColumn, SITE_FIELD } from '../types/plan';
import type { ResolvedCalc, ResolvedCall } from '../types/resolved-query';

/** The names that the plan uses. */
interface CalcNames {
  readonly calc: (name: string) => string;
  readonly value: (call: ResolvedCall) => string;
}

type AggregateCall = ResolvedCall & { readonly function: Exclude<CalcFunction, 'AVERAGE'> };

/** Aggregates each call once, even if it is repeated. With `all`, identical ids from different sites are different values. */
export function lowerCalc(calcs: readonly ResolvedCalc[], names: CalcNames, all: boolean) {
  const aggregates = new Map<string, Aggregate>();
  const add = (call: AggregateCall, name?: string): string => {
    const { function: fn, column, share, filter } = call;
    const key = [fn, column.side, column.name, share?.of, share?.in, filter?.calc].join(' ');
    const known = aggregates.get(key);
    if (known !== undefined && name === undefined) return known.name;
    const aggregate = aggregateOf(call, name ?? names.calc(key), names, all);
    aggregates.set(known === undefined ? key : `${key} ${name}`, aggregate);
    return aggregate.name;
  };
  for (const { name, value } of calcs.filter(isAggregate)) add(value.value, names.calc(name));
  const computed = calcs
    .filter((calc) => !isAggregate(calc))
    .map(({ name, value }): ComputedColumn => {
      const tree = mapValues(value, (call) => exactOf(call, add));
      return { name: names.calc(name), value: { kind: 'arithmetic', value: tree } };
    });
  return { aggregates: [...aggregates.values()], computed };
}

/** Whether the calc is a single call whose aggregate is the result. An average is not: it is a sum divided by a count. */
const isAggregate = (
  calc: ResolvedCalc,
): calc is ResolvedCalc & { readonly value: { readonly kind: 'value'; readonly value: AggregateCall } } =>
  calc.value.kind === 'value' &&
  calc.value.value.function !== 'AVERAGE' &&
  (calc.value.value.share === null || calc.type === 'datetime');

function exactOf(call: ResolvedCall, add: (call: AggregateCall) => string): Arithmetic<ExactColumn> {
  const { function: fn, column, share } = call;
  const aggregated = (part: AggregateCall['function'], type: ColumnType): Arithmetic<ExactColumn> =>
    valueTerm({
      column: add({ ...call, function: part }),
      digits: type === 'num' ? 6 : 0,
      ...(type === 'datetime' && { isInstant: true }),
    });
  switch (fn) {
    case 'COUNT':
    case 'COUNTUNIQUE':
      return aggregated(fn, 'int');
    case 'AVERAGE':
      return operation('/', aggregated('SUM', column.type), aggregated('COUNT', 'int'));
    case 'SUM':
    case 'MIN':
    case 'MAX':
      return aggregated(fn, column.type);
    case 'MEDIAN':
    case 'PERCENTILE':
      if (column.type === 'datetime') return aggregated(fn, column.type);
      return operation('/', aggregated(fn, column.type), whole(share?.in ?? 1));
  }
}

function aggregateOf(call: AggregateCall, name: string, names: CalcNames, all: boolean): Aggregate {
  const { function: fn, column, share, filter } = call;
  // Counting a column that is never null counts rows, so the column need not be read.
  const countsRows = fn === 'COUNT' && !column.nullable && filter === null;
  return {
    name,
    function: fn === 'MEDIAN' ? 'PERCENTILE' : fn,
    column: countsRows ? null : names.value(call),
    type: column.type,
    within: all && column.type === 'id' ? [SITE_FIELD] : [],
    ...(share === null ? {} : { share }),
  };
}
