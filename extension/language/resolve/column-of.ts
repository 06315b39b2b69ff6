// Finds a column of one source by its exact name.
import type { Parameters } from '../errors/fault';
import { featureError } from '../errors/feature-error';
import { type QueryError, queryError } from '../errors/query-error';
import { columnSynonym, dailyColumn } from '../names/foreign-columns';
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

/** An undefined goal would silently count nothing, and a goal that differs between the sites would count different things. */
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
  if (found === undefined)
    throw queryError('E_UNKNOWN_COLUMN goal', at, { material, column, goal, ...definedGoals(binding) });
  if (!found.isSame) {
    const { names } = found;
    throw queryError('E_UNKNOWN_COLUMN goal-differs', at, { material, column, goal, names });
  }
}

function definedGoals({ scope }: Binding) {
  const goals = scope.goals.map(({ number, names }) => `is_goal_${number} (${names.join(', ')})`);
  return { hint: goals.length === 0 ? 'no goals' : 'goals', goals } as const;
}

export function unknownColumn(
  source: Source,
  column: string,
  place: Path,
  binding: Binding,
  repair?: Repair,
  about?: About,
): QueryError {
  const { name, columns } = source;
  const instead = repair ? {} : (binding.meant(() => columnsInstead(source, column, binding)) ?? {});
  const isQualified = column.includes('.') && !('nearest' in instead) && instead.hint !== 'view' && !repair;
  const hint = isQualified ? { hint: 'source' as const } : {};
  const given = { material: name, column, kept: [...columns.keys()], ...instead, ...hint, ...about };
  return queryError('E_UNKNOWN_COLUMN unknown', formatPath(place), given, repair);
}

/** The column that was probably meant, or else a hint about what the source has instead. */
export function columnsInstead(
  { name: material, keys, columns, resolved }: Source,
  column: string,
  binding: Binding,
) {
  const bound = [...columns.values()].map((it) => it.bound);
  const nearest = meantColumn(columns, column);
  // A similar name with a different number is a different goal.
  const [, goal = ''] = /^is_goal_(.*)$/i.exec(column) ?? [];
  const isOther = goal !== '' && nearest !== `is_goal_${Number(goal)}`;
  if (isOther && bound.some(({ origin }) => origin.kind === 'converted')) return definedGoals(binding);
  if (nearest !== undefined) return { nearest };
  if (resolved.kind === 'view') return { hint: 'view' } as const;
  const { feature = 'join' } = binding.viewColumns.get(column) ?? {};
  const isJoinable = keys.includes('pv_id') && isEnabled(binding.contract, 'join');
  if (binding.viewColumns.has(column) && isJoinable && isEnabled(binding.contract, feature))
    return { hint: 'of views', column, key: `${material}.pv_id` } as const;
  const parameters = bound.flatMap(({ name, origin }) =>
    origin.kind === 'computed' && origin.value.kind === 'parameter' ? [name] : [],
  );
  return parameters.length === 0 ? {} : ({ hint: 'parameters', parameters } as const);
}

/** The column that a synonym or typo probably means. */
export function meantColumn(columns: Source['columns'], wanted: string): string | undefined {
  if (columns.has(wanted)) return wanted;
  const synonym = columnSynonym(wanted) ?? dailyColumn(wanted);
  return synonym !== undefined && columns.has(synonym) ? synonym : nearest(wanted, columns.keys());
}
