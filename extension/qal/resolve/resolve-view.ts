// Owns the binding of one view: every name found, every type checked, the output columns known.
import type { Material } from '../../../manifests/reader/manifest';
import type { ColumnType } from '../../../manifests/reader/schema';
import type { Contract } from '../../contracts/contract';
import { queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import type { CalcFunction, ParsedCalc, ParsedSort, ParsedView } from '../types/parsed-query';
import type {
  BoundColumn,
  OutputColumn,
  ResolvedCalc,
  ResolvedSort,
  ResolvedView,
} from '../types/resolved-query';
import { bindColumn, columnOf } from './bind-column';
import { findCalcColumn, findColumn, findQualified, type Source } from './find-column';
import { resolveCondition } from './resolve-condition';

/** Binds a view that reads a material; `zone` is the query's time zone. */
export function resolveView(
  view: ParsedView,
  material: Material,
  contract: Contract,
  zone: string,
): ResolvedView {
  const source: Source = { material, contract };
  const at = `make.${view.name}`;
  const keep = uniqueByName(
    view.keep.map((entry, index) => findQualified(source, entry, `${at}.keep[${index}]`)),
  );
  const filter = view.filter.map((condition) => {
    const column = findColumn(source, condition.column, `${at}.filter.${condition.column}`);
    return resolveCondition(condition, column, contract, zone);
  });
  const calc = view.calc.map((entry) => resolveCalc(entry, source, `${at}.calc.${entry.name}`));
  const output = [...keep, ...calc].map(({ name, type }) => ({ name, type }));
  return {
    name: view.name,
    source: {
      kind: 'material',
      material: material.name,
      timeField: material.time.field,
      order: orderOf(material),
    },
    filter,
    keep,
    calc: calc.length === 0 ? null : calc,
    sort: view.sort === null ? null : resolveSort(view.sort, output, material, `${at}.sort`),
    output,
  };
}

/** The same entry twice is one column. */
function uniqueByName(columns: readonly BoundColumn[]): readonly BoundColumn[] {
  return [...new Map(columns.map((column) => [column.name, column])).values()];
}

const orderOf = (material: Material): readonly BoundColumn[] =>
  material.order.map((name) => bindColumn(material, columnOf(material, name)));

function resolveCalc(calc: ParsedCalc, source: Source, at: string): ResolvedCalc {
  const column = findCalcColumn(source, calc.reference, at);
  const types = source.contract.rules.request.calc_functions[calc.function]?.types ?? [];
  if (!types.includes(column.type)) {
    throw queryError('E_CALC_INVALID_EXPRESSION', at, {
      problem: 'type',
      function: calc.function,
      column: column.name,
      type: column.type,
      types,
    });
  }
  return { name: calc.name, function: calc.function, column, type: RESULT_TYPES[calc.function](column.type) };
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

/** `by` may be qualified with the material or not. */
function resolveSort(
  sort: ParsedSort,
  output: readonly OutputColumn[],
  material: Material,
  at: string,
): ResolvedSort {
  const qualifier = `${material.name}.`;
  const name = sort.by.startsWith(qualifier) ? sort.by.slice(qualifier.length) : sort.by;
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
