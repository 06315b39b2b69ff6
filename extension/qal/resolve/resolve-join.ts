// Binds a join: its pairs, and the value that fills rows without a match.
// parsed join + both sources -> ResolvedJoin; throws E_INVALID_JOIN.
import { queryError } from '../../errors/query-error';
import type { ParsedJoin, QualifiedName } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { certainly, write } from '../types/repair';
import type { BoundColumn, ResolvedJoin } from '../types/resolved-query';
import type { Binding } from './binding';
import type { Sides } from './find-column';
import type { Source } from './source';
import { FILL_TYPES, VALUE_TYPES } from './value-types';

/** A join before it is known which columns of it the view reads. */
export type BoundJoin = Omit<ResolvedJoin, 'fill'>;

/** Binds the pairs of a join, in the order of the document. */
export function resolveJoin(
  join: ParsedJoin,
  from: Source,
  other: Source,
  path: Path,
  binding: Binding,
): BoundJoin {
  const shared = from.keys.filter((key) => other.keys.includes(key));
  const on = join.on.map(({ left, right }, index) => {
    const place = [...path, 'on', index];
    return {
      left: bindKey(
        { side: 'left', source: from, prefix: from.material, reference: left, shared },
        place,
        binding,
      ),
      right: bindRight(
        { side: 'right', source: other, prefix: other.name, reference: right, shared },
        left,
        place,
        binding,
      ),
    };
  });
  return { source: other.resolved, on, mode: join.mode };
}

interface PairSide {
  readonly side: 'left' | 'right';
  readonly source: Source;
  /** What must stand before the dot. */
  readonly prefix: string;
  readonly reference: QualifiedName;
  /** The keys that both sides declare. */
  readonly shared: readonly string[];
}

/** The key of one side; another prefix than the side's can only be a slip. */
function bindKey(
  { side, source, prefix, reference, shared }: PairSide,
  pair: Path,
  binding: Binding,
): BoundColumn {
  const place = [...pair, side];
  const at = formatPath(place);
  const { column } = reference;
  const right = `${prefix}.${column}`;
  const given = { side, received: `${reference.prefix}.${column}`, prefix };
  if (reference.prefix !== prefix) {
    const fault = side === 'left' ? 'E_INVALID_JOIN left-prefix' : 'E_INVALID_JOIN right-prefix';
    binding.note(queryError(fault, at, { ...given, right }, certainly(write(place, right))));
  }
  const bound = source.columns.get(column)?.bound;
  if (bound?.isKey === true) return { ...bound, side: side === 'left' ? 'from' : 'with' };
  if (source.keys.includes(column)) {
    const kept = { view: source.name, column: `${source.material}.${column}` };
    throw queryError('E_INVALID_JOIN not-kept', at, { ...given, ...kept });
  }
  const hint = shared.length === 0 ? 'none' : undefined;
  throw queryError('E_INVALID_JOIN key', at, { ...given, keys: shared, hint });
}

function bindRight(right: PairSide, left: QualifiedName, pair: Path, binding: Binding): BoundColumn {
  const bound = bindKey(right, pair, binding);
  if (bound.name === left.column) return bound;
  throw queryError('E_INVALID_JOIN unequal', formatPath([...pair, 'right']), {
    side: 'right',
    received: `${right.prefix}.${right.reference.column}`,
    prefix: right.prefix,
    other: `${left.prefix}.${left.column}`,
    right: `${right.prefix}.${left.column}`,
  });
}

/** The value of `fill` for each joined column that the view reads. */
export function resolveFill(
  join: ParsedJoin | null,
  columns: readonly BoundColumn[],
  { with: other }: Sides,
  at: string | undefined,
  zone: string,
): ResolvedJoin['fill'] {
  const fill = join?.fill ?? null;
  if (fill === null) return [];
  const joined = new Map(
    columns.flatMap((bound) => (bound.side === 'with' ? [[bound.name, bound.type] as const] : [])),
  );
  return [...joined].map(([column, type]) => {
    const value = VALUE_TYPES[type].read(fill, zone);
    const { isRight, expected } = FILL_TYPES[type];
    if (value !== undefined && isRight(value)) return { column, type, value };
    throw queryError('E_INVALID_JOIN fill', at, {
      received: fill,
      column: `${other?.name}.${column}`,
      type,
      expected,
    });
  });
}
