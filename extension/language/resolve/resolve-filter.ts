import type { ParsedCondition, ParsedFilterPart, ParsedView } from '../types/parsed-query';
import type { Path } from '../types/path';
import type { ResolvedCondition, ResolvedFilterPart } from '../types/resolved-query';
import { type Binding, eachOf } from './binding';
import type { Sides } from './find-column';
import { findCompared, findFiltered } from './find-filtered';
import { resolveCondition } from './resolve-condition';

/** Binds a filter on the columns of the `from` side: the filter of `view`, or of one of its calcs. */
export function resolveFilter(
  filter: readonly ParsedFilterPart[],
  view: Pick<ParsedView, 'filter' | 'calc'>,
  sides: Sides,
  binding: Binding,
): readonly ResolvedFilterPart[] {
  const others = {
    find: (name: string, place: Path) => findCompared(sides, name, place, binding),
    typeOf: (name: string) => sides.from.columns.get(name)?.bound.type,
  };
  const conditionOf = (condition: ParsedCondition): ResolvedCondition => {
    const column = findFiltered(sides, condition.column, view, condition.place, binding);
    return resolveCondition(condition, column, others, binding);
  };
  const partsOf = (parts: readonly ParsedFilterPart[]): readonly ResolvedFilterPart[] =>
    eachOf(parts, binding, (part) => [
      'anyOf' in part ? { ...part, anyOf: part.anyOf.map(partsOf) } : conditionOf(part),
    ]);
  return partsOf(filter);
}
