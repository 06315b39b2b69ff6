// Owns the look-up of a column name in the sides of a view, and what to say when it is not there.
import { type Contract, featureError, isEnabled } from '../../contracts/contract';
import type { ErrorParameters } from '../../errors/error-table';
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import { columnSynonym, holdsInstead, partOfDays, renamedColumn } from '../names/synonyms';
import type { ParsedCalc, ParsedView, QualifiedName } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { probably, type Repair, write } from '../types/repair';
import type { BoundColumn } from '../types/resolved-query';
import { calcRepair, filterRepair, keepRepair, valuesOf } from './column-repairs';
import { instead } from './other-grain';
import type { Source } from './source';

/** What a view reads: the rows that it is from, and those that it joins. */
export interface Sides {
  readonly from: Source;
  readonly with: Source | null;
}

/** A column of one source; throws E_UNKNOWN_COLUMN or E_FEATURE_DISABLED. */
function findColumn(source: Source, name: string, place: Path, contract: Contract): BoundColumn {
  const column = source.columns.get(name);
  if (column === undefined) throw unknownColumn(source, name, place);
  const { bound, feature } = column;
  if (feature !== undefined && !isEnabled(contract, feature)) {
    throw featureError(contract, feature, formatPath(place));
  }
  return bound;
}

/** A row without a match lacks every value of the joined side. */
const findJoined = (source: Source, name: string, place: Path, contract: Contract): BoundColumn => ({
  ...findColumn(source, name, place, contract),
  side: 'with',
  nullable: true,
});

/** A column of the from side by its name alone, as filters write it. */
export function findFiltered(
  sides: Sides,
  name: string,
  { filter, calc }: Pick<ParsedView, 'filter' | 'calc'>,
  place: Path,
  contract: Contract,
): BoundColumn {
  const { from } = sides;
  if (from.columns.has(name)) return findColumn(from, name, place, contract);
  const dot = name.lastIndexOf('.');
  const bare = name.slice(dot + 1);
  const joined = sides.with;
  const isOfJoined = dot < 0 || joined?.name === name.slice(0, dot);
  const values = filter.filter((it) => it.column === name).flatMap(valuesOf);
  const repair = filterRepair(from, name, values, place);
  const renamed = renamedColumn(bare);
  const holds = renamed === undefined ? undefined : holdsInstead(renamed, values);
  const isJoined = repair === undefined && joined !== null && isOfJoined && joined.columns.has(bare);
  throw unknownColumn(from, name, place, repair, {
    joined: isJoined ? { name: joined.name, column: bare } : undefined,
    ...(holds === undefined ? {} : { holds, nearest: renamed }),
    instead: instead(from, bare),
    calculated: repair === undefined && calc.some((it) => it.name === name),
  });
}

/** A column as keep writes it, with its source before the dot; `kept` = all that the view keeps. */
export function findQualified(
  sides: Sides,
  reference: QualifiedName,
  kept: readonly QualifiedName[],
  place: Path,
  contract: Contract,
): BoundColumn {
  const { prefix, column } = reference;
  const source = sideOf(sides, reference, place);
  if (source !== undefined) {
    if (!source.columns.has(column)) {
      const repair = keepRepair(source, reference, place, kept);
      const about = repair === undefined ? { instead: instead(source, column) } : {};
      throw unknownColumn(source, column, place, repair, about);
    }
    return source === sides.with
      ? findJoined(source, column, place, contract)
      : findColumn(source, column, place, contract);
  }
  const meant = meantReference(sides, reference);
  const joins = isEnabled(contract, 'join') && sides.with === null;
  throw queryError(
    'E_UNKNOWN_COLUMN',
    formatPath(place),
    { problem: 'unknown-source', prefix, column, sources: namesOf(sides), joins },
    meant === undefined ? undefined : probably(write(place, meant)),
  );
}

/** The column inside a calc; throws E_CALC_COLUMN_UNRESOLVED. */
export function findCalcColumn(
  sides: Sides,
  calc: Pick<ParsedCalc, 'function' | 'reference'>,
  place: Path,
  contract: Contract,
): BoundColumn {
  const { reference } = calc;
  const { prefix, column } = reference;
  const source = sideOf(sides, reference, place);
  if (source?.columns.has(column) === true) {
    if (source !== sides.with) return findColumn(source, column, place, contract);
    if (isEnabled(contract, 'calc_join_symmetric')) return findJoined(source, column, place, contract);
    throw featureError(contract, 'calc_join_symmetric', formatPath(place));
  }
  const known =
    source === undefined
      ? meantReference(sides, reference)
      : qualified(source.name, meantColumn(source.columns, column));
  throw queryError(
    'E_CALC_COLUMN_UNRESOLVED',
    formatPath(place),
    {
      reference: `${prefix}.${column}`,
      sources: namesOf(sides),
      nearest: known,
      joins: source === undefined && sides.with === null && isEnabled(contract, 'join') ? prefix : undefined,
      instead: source && instead(source, column, calc.function),
    },
    source === undefined ? undefined : calcRepair(source, reference, calc.function, place),
  );
}

/** The side that a prefix names; undefined when it names none. A column that both could mean is never guessed. */
function sideOf(sides: Sides, { prefix, column }: QualifiedName, place: Path): Source | undefined {
  const from = sides.from.prefixes.includes(prefix) ? sides.from : undefined;
  const joined = sides.with?.name === prefix ? sides.with : undefined;
  if (from === undefined || joined === undefined) return from ?? joined;
  if (!joined.columns.has(column)) return from;
  if (!from.columns.has(column)) return joined;
  throw queryError('E_INVALID_JOIN', formatPath(place), {
    problem: 'ambiguous',
    received: `${prefix}.${column}`,
    ofFrom: `${from.name}.${column}`,
    joined: joined.name,
  });
}

const namesOf = (sides: Sides): readonly string[] =>
  sides.with === null ? [sides.from.name] : [sides.from.name, sides.with.name];

const qualified = (source: string, column: string | undefined): string | undefined =>
  column === undefined ? undefined : `${source}.${column}`;

/** A reference to the column that was probably meant, of the from side first; never of one for another source. */
function meantReference(sides: Sides, { prefix, column: wanted }: QualifiedName): string | undefined {
  if (nearest(prefix, namesOf(sides)) === undefined) return undefined;
  const known = [sides.from, ...(sides.with === null ? [] : [sides.with])];
  const exact = known.find(({ columns }) => columns.has(wanted));
  if (exact !== undefined) return `${exact.name}.${wanted}`;
  return known
    .map(({ name, columns }) => qualified(name, meantColumn(columns, wanted)))
    .find((reference) => reference !== undefined);
}

/** The column that was probably meant: by another name of it, or by a slip of the keys. */
function meantColumn(columns: Source['columns'], wanted: string): string | undefined {
  if (columns.has(wanted)) return wanted;
  const synonym = columnSynonym(wanted) ?? partOfDays(wanted);
  return synonym !== undefined && columns.has(synonym) ? synonym : nearest(wanted, columns.keys());
}

function unknownColumn(
  { name, columns, resolved }: Source,
  column: string,
  place: Path,
  repair?: Repair,
  about: Pick<
    ErrorParameters<'E_UNKNOWN_COLUMN'> & { problem: 'unknown' },
    'joined' | 'holds' | 'nearest' | 'instead' | 'calculated'
  > = {},
): QueryError {
  const near = meantColumn(columns, column);
  const kept = resolved.kind === 'view' ? [...columns.keys()] : undefined;
  const parameters = { problem: 'unknown', material: name, column, nearest: near, kept, ...about } as const;
  return queryError('E_UNKNOWN_COLUMN', formatPath(place), parameters, repair);
}
