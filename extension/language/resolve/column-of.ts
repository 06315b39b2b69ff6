// Finds a column of one source by its exact name.
import type { Parameters } from '../errors/fault';
import { featureError } from '../errors/feature-error';
import { type QueryError, queryError } from '../errors/query-error';
import { columnSynonym, partOfDays } from '../names/foreign-columns';
import { nearest } from '../names/nearest';
import { isEnabled } from '../types/contract';
import { formatPath, type Path } from '../types/path';
import type { Repair } from '../types/repair';
import type { BoundColumn } from '../types/resolved-query';
import type { Binding } from './binding';
import type { Source } from './source';

export type About = Partial<Parameters<'E_UNKNOWN_COLUMN unknown'>>;

export function columnOf(source: Source, name: string, place: Path, binding: Binding): BoundColumn {
  const { contract } = binding;
  const column = source.columns.get(name);
  if (column === undefined) throw unknownColumn(source, name, place, binding);
  const { bound, feature } = column;
  if (feature !== undefined && !isEnabled(contract, feature))
    throw featureError(contract, feature, formatPath(place));
  if (bound.origin.kind === 'converted') checkGoal(source, name, bound.origin.goal, place, binding);
  return bound;
}

/** A goal that is not defined, or differs between the sites, would silently count nothing, or different things. */
function checkGoal(
  { name: material }: Source,
  column: string,
  goal: number,
  place: Path,
  binding: Binding,
): void {
  const { goals } = binding.scope;
  const found = goals.find(({ number }) => number === goal);
  const at = formatPath(place);
  if (found === undefined) {
    const known = goals.map(({ number, names }) => `is_goal_${number} (${names.join(', ')})`);
    const hint = known.length === 0 ? 'none' : undefined;
    throw queryError('E_UNKNOWN_COLUMN goal', at, { material, column, goal, goals: known, hint });
  }
  if (!found.isSame) {
    const { names } = found;
    throw queryError('E_UNKNOWN_COLUMN goal-differs', at, { material, column, goal, names });
  }
}

export function unknownColumn(
  { name, columns, resolved }: Source,
  column: string,
  place: Path,
  binding: Binding,
  repair?: Repair,
  about: About = {},
): QueryError {
  const near = binding.meant(() => meantColumn(columns, column));
  const isOfView = resolved.kind === 'view';
  const hint = near !== undefined || repair !== undefined ? undefined : isOfView ? 'view' : 'source';
  const isNamed = isOfView || column.includes('.');
  const given = { material: name, column, nearest: near, kept: [...columns.keys()] };
  return queryError(
    'E_UNKNOWN_COLUMN unknown',
    formatPath(place),
    { ...given, ...(isNamed && { hint }), ...about } as const,
    repair,
  );
}

/** The column that is probably meant by a synonym or typo. */
export function meantColumn(columns: Source['columns'], wanted: string): string | undefined {
  if (columns.has(wanted)) return wanted;
  const synonym = columnSynonym(wanted) ?? partOfDays(wanted);
  return synonym !== undefined && columns.has(synonym) ? synonym : nearest(wanted, columns.keys());
}
