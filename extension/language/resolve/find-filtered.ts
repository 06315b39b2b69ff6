// Looks up the columns of a filter: they are those of the from side, by their names alone.
import type { Parameters } from '../errors/fault';
import { holdsInstead, renamedColumn } from '../names/foreign-columns';
import { operatorSynonym } from '../names/foreign-operators';
import {
  conditionsIn,
  FILTER_OPERATORS,
  type ParsedCondition,
  type ParsedView,
  type Scalar,
} from '../types/parsed-query';
import type { Path } from '../types/path';
import { certainly, probably, rename, write } from '../types/repair';
import type { BoundColumn } from '../types/resolved-query';
import type { Binding } from './binding';
import { columnOf, type Sides, unknownColumn } from './find-column';
import { insteadOf } from './other-grain';

/** A column of the from side by its name alone, as filters write it; throws E_UNKNOWN_COLUMN or E_FEATURE_DISABLED. */
export function findFiltered(
  sides: Sides,
  name: string,
  { filter, calc }: Pick<ParsedView, 'filter' | 'calc'>,
  place: Path,
  binding: Binding,
): BoundColumn {
  const { from, with: joined } = sides;
  if (from.columns.has(name)) return columnOf(from, name, place, binding);
  const dot = name.lastIndexOf('.');
  const [prefix, bare] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
  const renamed = binding.meant(() => renamedColumn(bare));
  const holds =
    renamed === undefined || from.columns.has(bare)
      ? undefined
      : binding.meant(() => holdsInstead(renamed, comparedWith(filter, name)));
  const known = from.columns.has(bare) ? bare : renamed;
  if (known !== undefined && from.columns.has(known) && (dot < 0 || from.prefixes.includes(prefix))) {
    const edit = rename(place, known);
    const isSame = known === bare || holds === undefined;
    const about = holds === undefined ? {} : ({ hint: 'values', holds, nearest: renamed } as const);
    binding.note(unknownColumn(from, name, place, binding, isSame ? certainly(edit) : probably(edit), about));
    return columnOf(from, known, place, binding);
  }
  const isJoined = joined?.columns.has(bare) === true && (dot < 0 || joined.name === prefix);
  const isCalc = calc.some((it) => it.name === name);
  const about: Partial<Parameters<'E_UNKNOWN_COLUMN unknown'>> | undefined = isCalc
    ? { hint: 'calc' }
    : isJoined
      ? { hint: 'joined', bare, joined: joined.name }
      : holds === undefined
        ? name === 'any'
          ? { hint: 'any' }
          : binding.meant(() => operatorIn(name, from.columns) ?? insteadOf(from, bare))
        : { hint: 'values', holds, nearest: renamed };
  throw unknownColumn(from, name, place, binding, undefined, about);
}

/** `pv__gte`, `pv.gte` or `pv >=` of other languages. */
function operatorIn(name: string, columns: Sides['from']['columns']) {
  const [, bare = '', word = ''] = /^(\w+?)(?:__|\.|\s+|(?=[<>=!]))(\S+)$/.exec(name) ?? [];
  const operator = operatorSynonym(word, FILTER_OPERATORS);
  return columns.has(bare) && operator !== undefined
    ? ({ hint: 'operator', bare, operator } as const)
    : undefined;
}

/** The other column of a comparison, of the from side; throws E_UNKNOWN_COLUMN or E_FEATURE_DISABLED. */
export function findCompared({ from }: Sides, name: string, place: Path, binding: Binding): BoundColumn {
  if (from.columns.has(name)) return columnOf(from, name, place, binding);
  const dot = name.lastIndexOf('.');
  const bare = name.slice(dot + 1);
  const known = from.columns.has(bare) ? bare : binding.meant(() => renamedColumn(bare));
  const isOfSide = dot < 0 || from.prefixes.includes(name.slice(0, dot));
  if (known === undefined || !from.columns.has(known) || !isOfSide)
    throw unknownColumn(from, name, place, binding);
  binding.note(unknownColumn(from, name, place, binding, certainly(write(place, known))));
  return columnOf(from, known, place, binding);
}

const conditionsOf = new WeakMap<ParsedView['filter'], ReadonlyMap<string, readonly ParsedCondition[]>>();

/** All that a filter compares a column with. A filter may have 20,000 columns, so it is not read again for each. */
function comparedWith(filter: ParsedView['filter'], name: string): readonly Scalar[] {
  let byColumn = conditionsOf.get(filter);
  if (byColumn === undefined) {
    const all = new Map<string, ParsedCondition[]>();
    for (const condition of conditionsIn(filter)) {
      const those = all.get(condition.column);
      if (those === undefined) all.set(condition.column, [condition]);
      else those.push(condition);
    }
    byColumn = all;
    conditionsOf.set(filter, byColumn);
  }
  return (byColumn.get(name) ?? []).flatMap(valuesOf);
}

/** All that a condition compares with. */
function valuesOf(condition: ParsedCondition): readonly Scalar[] {
  if ('other' in condition) return [];
  if ('values' in condition) return condition.values;
  return condition.operator === 'between' ? [condition.low, condition.high] : [condition.value];
}
