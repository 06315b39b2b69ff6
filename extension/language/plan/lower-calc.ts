// The calc of a view: aggregates of the rows, and arithmetic on them once per group.
import { type Arithmetic, type ExactColumn, mapValues, operation, whole } from '../types/arithmetic';
import { type Aggregate, type ComputedColumn, SITE_FIELD } from '../types/plan';
import type { BoundColumn, ResolvedCalc, ResolvedCall } from '../types/resolved-query';
import { exactColumn, meanOf } from './merge-aggregates';

interface CalcNames {
  /** The plan's name for the result of a calc. */
  readonly calc: (name: string) => string;
  /** The plan's name for a column. */
  readonly column: (bound: BoundColumn) => string;
}

interface LoweredCalc {
  readonly aggregates: readonly Aggregate[];
  readonly computed: readonly ComputedColumn[];
}

/** Each call is aggregated once, even if it is repeated. `all`: equal ids of several sites are different values. */
export function lowerCalc(calcs: readonly ResolvedCalc[], names: CalcNames, all: boolean): LoweredCalc {
  const aggregates = new Map<string, Aggregate>();
  const add = (call: ResolvedCall, name?: string): string => {
    const { function: fn, column, share } = call;
    const key = [fn, column.side, column.name, share?.of, share?.in].join(' ');
    const known = aggregates.get(key);
    if (known !== undefined && name === undefined) return known.name;
    const aggregate = aggregateOf(call, name ?? names.calc(key), names, all);
    aggregates.set(known === undefined ? key : `${key} ${name}`, aggregate);
    return aggregate.name;
  };
  const lone = calcs.filter(isAggregate);
  for (const { name, value } of lone) add(value.value, names.calc(name));
  const computed = calcs
    .filter((calc) => !isAggregate(calc))
    .map(({ name, value }): ComputedColumn => {
      const tree = mapValues(value, (call) => exactOf(call, add));
      return { name: names.calc(name), value: { kind: 'arithmetic', value: tree } };
    });
  return { aggregates: [...aggregates.values()], computed };
}

type LoneCall = ResolvedCalc & { readonly value: { readonly kind: 'value' } };

/** Whether the calc is one call whose aggregate is the answer. */
const isAggregate = (calc: ResolvedCalc): calc is LoneCall =>
  calc.value.kind === 'value' && (calc.value.value.share === null || calc.type === 'datetime');

/** A call as an exact number. */
function exactOf(call: ResolvedCall, add: (call: ResolvedCall) => string): Arithmetic<ExactColumn> {
  const { function: fn, column, share } = call;
  const sum = (): string => add({ ...call, function: 'SUM' });
  const count = (): string => add({ ...call, function: 'COUNT' });
  switch (fn) {
    case 'COUNT':
    case 'COUNTUNIQUE':
      return exactColumn(add(call), 'int');
    case 'AVERAGE':
      return meanOf(sum(), count(), column.type);
    case 'SUM':
    case 'MIN':
    case 'MAX':
      return exactColumn(add(call), column.type);
    case 'MEDIAN':
    case 'PERCENTILE':
      return operation('/', exactColumn(add(call), column.type), whole(share?.in ?? 1));
  }
}

function aggregateOf(
  { function: fn, column, share }: ResolvedCall,
  name: string,
  names: CalcNames,
  all: boolean,
): Aggregate {
  return {
    name,
    function: fn === 'MEDIAN' ? 'PERCENTILE' : fn,
    // Counting a column that is never null counts rows, so the column need not be read.
    column: fn === 'COUNT' && !column.nullable ? null : names.column(column),
    type: column.type,
    within: all && column.type === 'id' ? [SITE_FIELD] : [],
    ...(share === null ? {} : { share }),
  };
}
