// Finds columns by name on the sides of a view, and the likely meaning of unknown names.
import { featureError } from '../errors/feature-error';
import { type QueryError, queryError } from '../errors/query-error';
import { renamedColumn } from '../names/foreign-columns';
import { metricHint } from '../names/metrics';
import { nearMaterial } from '../names/nearest';
import { valuesOf, valueTerm } from '../types/arithmetic';
import { isEnabled } from '../types/contract';
import type { ParsedCalc, ParsedCall, ParsedJoin, QualifiedName } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { certainly, probably, type Repair, remove, write } from '../types/repair';
import type { BoundColumn } from '../types/resolved-query';
import type { Binding } from './binding';
import { type About, columnOf, columnsInstead, meantColumn, unknownColumn } from './column-of';
import { keepsPeriodRows, meanParts, partOf, replacementHint, sumOf } from './other-grain';
import type { Source } from './source';

export interface Sides {
  readonly from: Source;
  readonly with: Source | null;
  readonly join: Pick<ParsedJoin, 'mode' | 'on'> | null;
}

/** Finds a column listed in `keep`, or the SUM calc that its name means. `kept` contains all entries of `keep`. */
export function findKept(
  sides: Sides,
  reference: QualifiedName,
  kept: readonly QualifiedName[],
  place: Path,
  binding: Binding,
): { readonly column: BoundColumn } | { readonly calc: ParsedCalc } {
  const { column } = reference;
  const source = sideOf(sides, reference, place);
  if (source === undefined) throw otherSource(sides, reference, place, binding);
  if (source.columns.has(column)) return { column: sideColumn(source, column, sides, place, binding) };
  const { repair, about, bind } = binding.meant(() => meantKept(source, reference, kept, place)) ?? {};
  const fault = unknownColumn(source, column, place, binding, repair, about);
  if (bind === undefined) throw fault;
  binding.note(fault);
  return 'calc' in bind ? bind : { column: sideColumn(source, bind.column, sides, place, binding) };
}

interface MeantKept {
  readonly repair?: Repair;
  readonly about?: About | undefined;
  /** The column or calc to bind instead, if the repair is certain. */
  readonly bind?: { readonly column: string } | { readonly calc: ParsedCalc };
}

/** Finds what a column from another contract or product means in `keep`. */
function meantKept(
  source: Source,
  { prefix, column }: QualifiedName,
  kept: readonly QualifiedName[],
  place: Path,
): MeantKept {
  const renamed = renamedColumn(column);
  if (renamed !== undefined && source.columns.has(renamed))
    return { repair: certainly(write(place, `${prefix}.${renamed}`)), bind: { column: renamed } };
  const calcOf = (name: string, part: string) =>
    write([...place.slice(0, 2), 'calc', name], `SUM(${prefix}.${part})`);
  const part = partOf(source, column);
  if (part !== undefined) {
    const edits = [remove(place), calcOf(column, part)];
    const call = { function: 'SUM', reference: { prefix, column: part }, share: null } as const;
    return {
      repair: keepsPeriodRows(source, kept) ? certainly(...edits) : probably(...edits),
      bind: {
        calc: {
          name: column,
          written: `SUM(${prefix}.${part})`,
          path: place,
          value: valueTerm(call),
          filter: [],
        },
      },
    };
  }
  // These repairs are only probable: a daily value is not a sum, and a mean position is a ratio of two sums.
  const sum = sumOf(source, column);
  if (sum !== undefined) return { repair: probably(write(place, `${prefix}.${sum}`)) };
  const parts = meanParts(source, column).map((it) => calcOf(it, it));
  if (parts.length > 0) return { repair: probably(remove(place), ...parts) };
  return { about: replacementHint(source, column) ?? metricOf(source, column) };
}

function metricOf({ name }: Source, column: string) {
  const hint = name === 'allpv' ? metricHint(column) : undefined;
  return hint && ({ hint } as const);
}

function otherSource(
  sides: Sides,
  { prefix, column }: QualifiedName,
  place: Path,
  binding: Binding,
): QueryError {
  const meant = binding.meant(() => meantReference(sides, { prefix, column }));
  const joins = meant === undefined && isEnabled(binding.contract, 'join') && sides.with === null;
  const given = { reference: `${prefix}.${column}`, material: prefix, column, sources: namesOf(sides) };
  return queryError(
    'E_UNKNOWN_COLUMN other-source',
    formatPath(place),
    { ...given, hint: joins ? 'join' : undefined },
    meant === undefined ? undefined : probably(write(place, meant)),
  );
}

export interface CalcPlace {
  readonly place: Path;
  /** The whole calc with the current names of its columns. */
  readonly repaired: string;
  /** The calcs of the view. */
  readonly calcs: readonly ParsedCalc[];
}

/** Finds the column of a call. */
export function findCalcColumn(
  sides: Sides,
  call: ParsedCall,
  { place, repaired, calcs }: CalcPlace,
  binding: Binding,
): BoundColumn {
  const { reference } = call;
  const { prefix, column } = reference;
  const source = sideOf(sides, reference, place);
  const given = { reference: `${prefix}.${column}`, sources: namesOf(sides) };
  if (source === undefined) {
    const meant = binding.meant(() => meantReference(sides, reference));
    const joins = meant === undefined && sides.with === null && isEnabled(binding.contract, 'join');
    const hint = joins ? 'join' : undefined;
    const about = { ...given, source: prefix, nearest: meant, hint } as const;
    throw queryError('E_CALC_COLUMN_UNRESOLVED', formatPath(place), about);
  }
  if (source.columns.has(column)) return calcColumn(source, column, sides, place, binding);
  const known = binding.meant(() => currentName(source, call));
  const about = binding.meant(() =>
    calcs.some(({ name }) => name === column)
      ? ({ hint: 'other calc' } as const)
      : (replacementHint(source, column, call.function) ?? metricOf(source, column)),
  );
  const instead = binding.meant(() => columnsInstead(source, column, binding)) ?? {};
  const nearest = 'nearest' in instead ? `${source.name}.${instead.nearest}` : undefined;
  const fault = queryError(
    'E_CALC_COLUMN_UNRESOLVED',
    formatPath(place),
    { ...given, material: source.name, kept: [...source.columns.keys()], ...instead, nearest, ...about },
    known === undefined ? undefined : certainly(write(place, repaired)),
  );
  binding.note(fault);
  return calcColumn(source, known ?? column, sides, place, binding);
}

function currentName(
  source: Source,
  { function: fn, reference: { column } }: ParsedCall,
): string | undefined {
  if (source.columns.has(column)) return undefined;
  const known = renamedColumn(column) ?? (fn === 'SUM' ? partOf(source, column) : undefined);
  return known !== undefined && source.columns.has(known) ? known : undefined;
}

/** A calc as text, with the current names of its columns. */
export const withOwnNames = ({ written, value }: ParsedCalc, { from, with: joined }: Sides): string =>
  valuesOf(value).reduce((text, call) => {
    const { prefix, column } = call.reference;
    const source = from.prefixes.includes(prefix) ? from : joined?.name === prefix ? joined : undefined;
    const known = source && currentName(source, call);
    if (known === undefined) return text;
    const reference = `${prefix}.${column}`;
    const isWhole = (place: number): boolean =>
      /^[\s(]/.test(text.charAt(place - 1)) && !/^\w/.test(text.charAt(place + reference.length));
    return text.replaceAll(reference, (found, place: number) =>
      isWhole(place) ? `${prefix}.${known}` : found,
    );
  }, written);

function calcColumn(source: Source, name: string, sides: Sides, place: Path, binding: Binding): BoundColumn {
  const { contract } = binding;
  if (source === sides.with && !isEnabled(contract, 'calc_join_symmetric'))
    throw featureError(contract, 'calc_join_symmetric', formatPath(place));
  return sideColumn(source, name, sides, place, binding);
}

/** The pairs of a join that keeps both sides: each left column holds the key of either side. */
export const mergedPairs = ({ join }: Sides): ParsedJoin['on'] | undefined =>
  join?.mode === 'keep-both' ? join.on : undefined;

/** Binds a column of one side. It is null in rows without a match on that side. */
function sideColumn(source: Source, name: string, sides: Sides, place: Path, binding: Binding): BoundColumn {
  const column = columnOf(source, name, place, binding);
  const merged = mergedPairs(sides);
  if (source !== sides.with)
    return merged === undefined ? column : { ...column, ...mergedProperties(column, sides, merged) };
  const pair = merged?.find(({ right }) => right.column === name);
  if (pair !== undefined) {
    const left = `${sides.from.name}.${pair.left.column}`;
    const given = { received: `${source.name}.${name}`, left };
    const isKept = place[2] === 'keep';
    const repair = isKept ? probably(write(place, left)) : undefined;
    throw queryError('E_INVALID_JOIN merged-key', formatPath(place), given, repair);
  }
  return { ...column, side: 'with', nullable: column.nullable || sides.join?.mode !== 'drop' };
}

/** How a `from` column changes if the join keeps both sides. A key column also has values from the other side. */
function mergedProperties(
  column: BoundColumn,
  { with: other }: Sides,
  merged: ParsedJoin['on'],
): Pick<BoundColumn, 'nullable' | 'known'> {
  const pair = merged.find(({ left }) => left.column === column.name);
  if (pair === undefined) return { nullable: true, known: column.known };
  const key = other?.columns.get(pair.right.column)?.bound;
  // Columns of views share this object if they come from the same column of a material.
  return {
    nullable: column.nullable || key?.nullable !== false,
    known: column.known === key?.known ? column.known : undefined,
  };
}

/** The side with this prefix, if any. Throws if the column could belong to either side. */
function sideOf(sides: Sides, { prefix, column }: QualifiedName, place: Path): Source | undefined {
  const from = sides.from.prefixes.includes(prefix) ? sides.from : undefined;
  const joined = sides.with?.name === prefix ? sides.with : undefined;
  if (from === undefined || joined === undefined) return from ?? joined;
  if (!joined.columns.has(column)) return from;
  if (!from.columns.has(column)) return joined;
  throw queryError('E_INVALID_JOIN ambiguous', formatPath(place), {
    received: `${prefix}.${column}`,
    reference: `${from.name}.${column}`,
    joined: joined.name,
  });
}

export const namesOf = (sides: Sides): readonly string[] =>
  sides.with === null ? [sides.from.name] : [sides.from.name, sides.with.name];

/** The column that was probably meant, preferably on the `from` side. Undefined if the prefix names another source. */
function meantReference(sides: Sides, { prefix, column: wanted }: QualifiedName): string | undefined {
  if (nearMaterial(prefix, namesOf(sides)) === undefined) return undefined;
  const known = [sides.from, ...(sides.with === null ? [] : [sides.with])];
  const exact = known.find(({ columns }) => columns.has(wanted));
  if (exact !== undefined) return `${exact.name}.${wanted}`;
  return known.flatMap(({ name, columns }) => {
    const meant = meantColumn(columns, wanted);
    return meant === undefined ? [] : [`${name}.${meant}`];
  })[0];
}
