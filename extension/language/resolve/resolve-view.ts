import { type QueryError, queryError } from '../errors/query-error';
import { instantOf } from '../time/local-time';
import { valuesOf } from '../types/arithmetic';
import { columnsOfRows } from '../types/columns-of-view';
import type { Clause, ParsedCalc, ParsedView, QualifiedName } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import type { TimeRange } from '../types/periods';
import type { BoundColumn, ResolvedCalc, ResolvedFilterPart, ResolvedView } from '../types/resolved-query';
import { type Binding, eachOf } from './binding';
import { findKept, type Sides } from './find-column';
import { resolveCalc } from './resolve-calc';
import { periodOf, resolveFillPeriods } from './resolve-fill-periods';
import { resolveFilter } from './resolve-filter';
import { type BoundJoin, resolveFill, resolveJoin } from './resolve-join';
import { resolveSort } from './resolve-sort';

/** An unknown `with` is reported at the first clause that needs it. */
export interface ViewSources extends Sides {
  readonly joinFault: QueryError | null;
}

/** The bound clauses of a view except `sort` and `fill_periods`, which need the output of the other clauses. */
interface BoundClauses {
  readonly keep: readonly BoundColumn[];
  readonly filter: readonly ResolvedFilterPart[];
  readonly join: BoundJoin | null;
  readonly calc: readonly ResolvedCalc[];
}

export function resolveView(view: ParsedView, sides: ViewSources, binding: Binding): ResolvedView {
  const base = ['make', view.name];
  const { from } = sides;
  const before = binding.leftOut();
  const { keep, filter, join, calc: calls } = bindClauses(view, sides, binding);
  const isWhole = binding.leftOut() === before;
  const { all } = binding.scope;
  const isPerSite = all && keep.some(({ identifies }) => identifies !== undefined);
  // An id belongs to one site, so the smallest id across several sites identifies nothing.
  const calc = isPerSite || !all ? calls.map(asId) : calls;
  const read = columnsOfRows({ keep, calc });
  const range = view.time === null ? binding.range : rangeIn(view.time, binding.zone);
  const output = [
    ...keep.map((column) => {
      const { name, type, nullable, isKey, identifies, known } = column;
      const period = periodOf(column, sides, range);
      return {
        name,
        type,
        nullable,
        isKey,
        ...(identifies && { identifies }),
        ...(known && { known }),
        ...(period && { period }),
      };
    }),
    ...calc.map(({ name, type, nullable, identifies }) => ({
      name,
      type,
      nullable,
      isKey: false,
      ...(identifies && { identifies }),
    })),
  ];
  const { sort, fillPeriods } = view;
  const bound = { output, keep, sides, hasCalc: calc.length > 0 };
  return {
    name: view.name,
    material: from.material,
    keys: from.keys,
    reads: from.reads + (sides.with?.reads ?? 0),
    range,
    source: from.resolved,
    filter,
    join: join && {
      ...join,
      fill: resolveFill(view.join, read, sides, formatPath([...base, 'join', 'fill']), binding.zone),
    },
    keep,
    calc: calc.length === 0 ? null : calc,
    sort:
      (sort !== null && isWhole
        ? binding.attempt(() => resolveSort(sort, bound, [...base, 'sort'], binding))
        : undefined) ?? null,
    fillPeriods:
      (fillPeriods !== null && isWhole
        ? binding.attempt(() => resolveFillPeriods(fillPeriods, bound, [...base, 'fill_periods'], binding))
        : undefined) ?? null,
    output,
    isPerSite,
  };
}

/** MIN and MAX of an id are ids of the same kind. */
function asId(calc: ResolvedCalc): ResolvedCalc {
  if (calc.value.kind !== 'value') return calc;
  const { function: fn, column } = calc.value.value;
  return column.type === 'id' && (fn === 'MIN' || fn === 'MAX')
    ? { ...calc, type: 'id', identifies: column.identifies }
    : calc;
}

/** Binds the clauses in document order, so that the first error found is the first one in the document. */
function bindClauses(view: ParsedView, sides: ViewSources, binding: Binding): BoundClauses {
  const base = ['make', view.name];
  const { from, with: other, joinFault } = sides;
  const checkJoin = (prefix: string): void => {
    if (joinFault !== null && prefix === view.join?.with) binding.note(joinFault);
  };
  const calcOf = (calc: ParsedCalc) => resolveCalc(calc, view, sides, binding);
  const sums: ParsedCalc[] = [];
  const bind: Readonly<Record<Clause, () => Partial<BoundClauses>>> = {
    time: () => {
      if (from.resolved.kind === 'material') return {};
      throw queryError('E_INVALID_VIEW time', formatPath([...base, 'time']), { received: view.from });
    },
    keep: () => {
      const entries = eachOf(view.keep, binding, (entry, index): readonly KeptEntry[] => {
        const place = [...base, 'keep', index];
        checkJoin(entry.prefix);
        const meant = findKept(sides, entry, view.keep, place, binding);
        if ('column' in meant) return [{ entry, place, column: meant.column }];
        sums.push(meant.calc);
        return [];
      });
      return { keep: distinctColumns(entries) };
    },
    filter: () => ({ filter: resolveFilter(view.filter, view, sides, binding) }),
    join: () => {
      if (view.join === null) return {};
      checkJoin(view.join.with);
      if (other === null) return {};
      // Every use of a view reads it again, so chained joins could multiply the reads without limit.
      const count = from.reads + other.reads;
      const max = binding.contract.rules.limits.max_reads;
      if (count > max)
        throw queryError('E_QUERY_TOO_LARGE reads', formatPath([...base, 'join']), { count, max });
      return { join: resolveJoin(view.join, from, other, [...base, 'join'], binding) };
    },
    calc: () => ({
      calc: eachOf(view.calc, binding, (calc) => {
        for (const { reference } of valuesOf(calc.value)) checkJoin(reference.prefix);
        return [calcOf(calc)];
      }),
    }),
  };
  let bound: BoundClauses = { keep: [], filter: [], join: null, calc: [] };
  for (const clause of view.clauses) bound = { ...bound, ...binding.attempt(bind[clause]) };
  return { ...bound, calc: [...bound.calc, ...sums.map(calcOf)] };
}

export const rangeIn = ({ start, end }: NonNullable<ParsedView['time']>, zone: string): TimeRange => ({
  start: instantOf(start, zone),
  end: instantOf(end, zone),
  zone,
});

interface KeptEntry {
  readonly entry: QualifiedName;
  readonly place: Path;
  readonly column: BoundColumn;
}

/** A repeated column is returned only once. Different columns with the same name would be ambiguous in the result. */
function distinctColumns(entries: readonly KeptEntry[]): readonly BoundColumn[] {
  const kept = new Map<string, KeptEntry>();
  for (const added of entries) {
    const { name, side } = added.column;
    const first = kept.get(name) ?? added;
    if (first.column.side !== side) {
      const both = [first, added].map(({ entry: { prefix, column } }) => `${prefix}.${column}`);
      throw queryError('E_INVALID_JOIN collision', formatPath(added.place), { name, entries: both });
    }
    kept.set(name, first);
  }
  return [...kept.values()].map(({ column }) => column);
}
