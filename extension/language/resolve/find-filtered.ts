// Finds the columns of a filter. Filters name columns of the `from` side without a prefix.
import type { Parameters } from '../errors/fault';
import { newValueFormat, renamedColumn } from '../names/foreign-columns';
import { operatorSynonym } from '../names/foreign-operators';
import { filterListNamed } from '../types/filter-lists';
import { conditionsIn } from '../types/filter-parts';
import { FILTER_OPERATORS, type ParsedCondition, type ParsedView, type Scalar } from '../types/parsed-query';
import type { Path } from '../types/path';
import { certainly, probably, rename, write } from '../types/repair';
import type { BoundColumn } from '../types/resolved-query';
import type { Binding } from './binding';
import { columnOf, unknownColumn } from './column-of';
import type { Sides } from './find-column';
import { replacementHint } from './other-grain';

type Hint = Partial<Parameters<'E_UNKNOWN_COLUMN unknown'>>;

export function findFiltered(
  sides: Sides,
  name: string,
  clauses: Pick<ParsedView, 'filter' | 'calc'>,
  place: Path,
  binding: Binding,
): BoundColumn {
  const { from } = sides;
  if (from.columns.has(name)) return columnOf(from, name, place, binding);
  const reference = referenceIn(name);
  const { prefix, bare } = reference;
  const renamed = binding.meant(() => renamedColumn(bare));
  const known = from.columns.has(bare) ? bare : renamed;
  const instead = from.columns.has(bare)
    ? undefined
    : binding.meant(() => otherValues(renamed, clauses.filter, name));
  if (known === undefined || !from.columns.has(known) || !allowsPrefix(from.prefixes, prefix)) {
    const about = hintFor(sides, reference, clauses, instead, binding);
    throw unknownColumn(from, name, place, binding, undefined, about);
  }
  const edit = rename(place, known);
  const repair = instead === undefined ? certainly(edit) : probably(edit);
  binding.note(unknownColumn(from, name, place, binding, repair, instead));
  return columnOf(from, known, place, binding);
}

/** The prefix, if any, is the part before the last dot. */
function referenceIn(name: string) {
  const dot = name.lastIndexOf('.');
  return { name, prefix: dot < 0 ? undefined : name.slice(0, dot), bare: name.slice(dot + 1) };
}

const allowsPrefix = (prefixes: readonly string[], prefix: string | undefined): boolean =>
  prefix === undefined || prefixes.includes(prefix);

function hintFor(
  { from, with: joined }: Sides,
  { name, prefix, bare }: ReturnType<typeof referenceIn>,
  { calc }: Pick<ParsedView, 'calc'>,
  instead: Hint | undefined,
  binding: Binding,
): Hint | undefined {
  if (calc.some((it) => it.name === name)) return { hint: 'calc' };
  if (joined?.columns.has(bare) === true && allowsPrefix([joined.name], prefix))
    return { hint: 'joined', bare, joined: joined.name };
  if (instead !== undefined) return instead;
  if (filterListNamed(name) !== undefined) return { hint: 'filters' };
  return binding.meant(() => operatorIn(name, from.columns) ?? replacementHint(from, bare));
}

/** The hint if a renamed column has values in a different format than those in the filter. */
function otherValues(
  renamed: string | undefined,
  filter: ParsedView['filter'],
  name: string,
): Hint | undefined {
  const holds = renamed && newValueFormat(renamed, comparedWith(filter, name));
  return holds === undefined ? undefined : { hint: 'values', holds, nearest: renamed };
}

/** The hint for `pv__gte`, `pv.gte` or `pv >=`, which other languages use. */
function operatorIn(name: string, columns: Sides['from']['columns']) {
  const [, bare = '', word = ''] = /^(\w+?)(?:__|\.|\s+|(?=[<>=!]))(\S+)$/.exec(name) ?? [];
  const operator = operatorSynonym(word, FILTER_OPERATORS);
  return columns.has(bare) && operator !== undefined
    ? ({ hint: 'operator', bare, operator } as const)
    : undefined;
}

export function findCompared({ from }: Sides, name: string, place: Path, binding: Binding): BoundColumn {
  if (from.columns.has(name)) return columnOf(from, name, place, binding);
  const { prefix, bare } = referenceIn(name);
  const known = from.columns.has(bare) ? bare : binding.meant(() => renamedColumn(bare));
  if (known === undefined || !from.columns.has(known) || !allowsPrefix(from.prefixes, prefix))
    throw unknownColumn(from, name, place, binding);
  binding.note(unknownColumn(from, name, place, binding, certainly(write(place, known))));
  return columnOf(from, known, place, binding);
}

const conditionsOf = new WeakMap<ParsedView['filter'], ReadonlyMap<string, readonly ParsedCondition[]>>();

/** All values that a filter compares a column with. Grouped once per filter, since a filter may name 20,000 columns. */
function comparedWith(filter: ParsedView['filter'], name: string): readonly Scalar[] {
  const byColumn = conditionsOf.get(filter) ?? Map.groupBy(conditionsIn(filter), ({ column }) => column);
  conditionsOf.set(filter, byColumn);
  return (byColumn.get(name) ?? []).flatMap(valuesOf);
}

function valuesOf(condition: ParsedCondition): readonly Scalar[] {
  if ('other' in condition) return [];
  if ('values' in condition) return condition.values;
  return condition.operator === 'between' ? [condition.low, condition.high] : [condition.value];
}
