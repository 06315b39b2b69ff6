// Owns the binding of one view: every name found, every type checked, the output columns known.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { Contract } from '../../contracts/contract';
import { queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import type { CalcFunction, Clause, ParsedCalc, ParsedSort, ParsedView } from '../types/parsed-query';
import type {
  BoundColumn,
  OutputColumn,
  ResolvedCalc,
  ResolvedCondition,
  ResolvedSort,
  ResolvedView,
} from '../types/resolved-query';
import { findCalcColumn, findColumn, findQualified } from './find-column';
import { resolveCondition } from './resolve-condition';
import type { Source } from './source';

/** Binds a view to its source; `zone` is the query's time zone. */
export function resolveView(
  view: ParsedView,
  source: Source,
  material: string,
  contract: Contract,
  zone: string,
): ResolvedView {
  const at = `make.${view.name}`;
  let keep: readonly BoundColumn[] = [];
  let filter: readonly ResolvedCondition[] = [];
  let calc: readonly ResolvedCalc[] = [];
  const bind: Readonly<Record<Clause, () => void>> = {
    keep: () => {
      keep = uniqueByName(
        view.keep.map((entry, index) => findQualified(source, entry, `${at}.keep[${index}]`, contract)),
      );
    },
    filter: () => {
      filter = view.filter.map((condition) => {
        const column = findColumn(source, condition.column, `${at}.filter.${condition.column}`, contract);
        return resolveCondition(condition, column, contract, zone);
      });
    },
    calc: () => {
      calc = view.calc.map((entry) => resolveCalc(entry, source, `${at}.calc.${entry.name}`, contract));
    },
  };
  // As written, so that the first fault is the first in the document; sort needs the others' output.
  for (const clause of view.clauses) bind[clause]();
  const output = [...keep, ...calc].map(({ name, type, nullable }) => ({ name, type, nullable }));
  return {
    name: view.name,
    material,
    source: source.resolved,
    filter,
    keep,
    calc: calc.length === 0 ? null : calc,
    sort: view.sort === null ? null : resolveSort(view.sort, output, source, `${at}.sort`),
    output,
  };
}

/** The same entry twice is one column. */
function uniqueByName(columns: readonly BoundColumn[]): readonly BoundColumn[] {
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}

function resolveCalc(calc: ParsedCalc, source: Source, at: string, contract: Contract): ResolvedCalc {
  const column = findCalcColumn(source, calc.reference, at, contract);
  const types = contract.rules.request.calc_functions[calc.function]?.types ?? [];
  if (!types.includes(column.type)) {
    throw queryError('E_CALC_INVALID_EXPRESSION', at, {
      problem: 'type',
      function: calc.function,
      column: column.name,
      type: column.type,
      types,
    });
  }
  const type = RESULT_TYPES[calc.function](column.type);
  return {
    name: calc.name,
    function: calc.function,
    column,
    type,
    nullable: NULL_OF_NOTHING.has(calc.function),
  };
}

const sumType = (type: ColumnType): ColumnType => (type === 'num' ? 'num' : 'int');
const valueType = (type: ColumnType): ColumnType => (type === 'flag' || type === 'id' ? 'int' : type);

const RESULT_TYPES: Readonly<Record<CalcFunction, (type: ColumnType) => ColumnType>> = {
  COUNT: () => 'int',
  COUNTUNIQUE: () => 'int',
  SUM: sumType,
  AVERAGE: () => 'num',
  MIN: valueType,
  MAX: valueType,
};

/** What these give over no values. */
const NULL_OF_NOTHING: ReadonlySet<CalcFunction> = new Set(['AVERAGE', 'MIN', 'MAX']);

/** `by` may be qualified with a name of the source or not. */
function resolveSort(
  sort: ParsedSort,
  output: readonly OutputColumn[],
  source: Source,
  at: string,
): ResolvedSort {
  const qualifier = source.prefixes
    .map((prefix) => `${prefix}.`)
    .find((prefix) => sort.by.startsWith(prefix));
  const name = sort.by.slice(qualifier?.length ?? 0);
  const by = output.find((column) => column.name === name);
  if (by !== undefined) return { by, order: sort.order, top: sort.top };
  const columns = output.map((column) => column.name);
  throw queryError('E_UNKNOWN_COLUMN', `${at}.by`, {
    problem: 'not-output',
    column: sort.by,
    columns,
    nearest: nearest(name, columns),
  });
}
