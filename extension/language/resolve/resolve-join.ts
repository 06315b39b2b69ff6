import { featureError } from '../errors/feature-error';
import { queryError } from '../errors/query-error';
import { nearest } from '../names/nearest';
import { isEnabled } from '../types/contract';
import type { ParsedJoin, QualifiedName } from '../types/parsed-query';
import { formatPath, type Path } from '../types/path';
import { certainly, write } from '../types/repair';
import type { BoundColumn, ResolvedJoin } from '../types/resolved-query';
import type { Binding } from './binding';
import { mergedPairs, type Sides } from './find-column';
import type { Source } from './source';
import { FILL_TYPES, VALUE_TYPES } from './value-types';

/** The feature for joining views on any of their columns, not just keys. */
const OUTPUTS = 'join_views';

/** A join without its fill values, which depend on the columns that the view reads. */
export type BoundJoin = Omit<ResolvedJoin, 'fill'>;

export function resolveJoin(
  join: ParsedJoin,
  from: Source,
  other: Source,
  path: Path,
  binding: Binding,
): BoundJoin {
  const notView = [from, other].find(({ resolved }) => resolved.kind !== 'view');
  if (join.nullsMatch && notView !== undefined)
    throw queryError('E_INVALID_JOIN nulls-views', formatPath([...path, 'nulls']), { name: notView.name });
  if (join.mode === 'keep-both') checkPairedOnce(join, path);
  const shared = from.keys.filter((key) => other.keys.includes(key));
  const isFree = joinsOutputs(from, binding) || joinsOutputs(other, binding);
  const keysOf = (source: Source) => ({ keys: isFree ? source.keys : shared, isFree });
  const on = join.on.map(({ left, right }, index) =>
    bindPair(
      { side: 'left', source: from, prefix: from.material, reference: left, ...keysOf(from) },
      { side: 'right', source: other, prefix: other.name, reference: right, ...keysOf(other) },
      [...path, 'on', index],
      binding,
    ),
  );
  return { source: other.resolved, on, mode: join.mode, nullsMatch: join.nullsMatch };
}

/** If both sides are kept, a left column also holds the keys of unmatched right rows, so it can have only one right column. */
function checkPairedOnce({ on }: ParsedJoin, path: Path): void {
  const rights = new Map<string, string>();
  for (const [index, { left, right }] of on.entries()) {
    const other = rights.get(left.column) ?? right.column;
    rights.set(left.column, other);
    if (other === right.column) continue;
    const received = `${left.prefix}.${left.column}`;
    const at = formatPath([...path, 'on', index, 'left']);
    throw queryError('E_INVALID_JOIN paired-twice', at, { received });
  }
}

interface PairSide {
  readonly side: 'left' | 'right';
  readonly source: Source;
  readonly prefix: string;
  readonly reference: QualifiedName;
  /** The keys to join on: those that both sides declare, or any key of this side if `isFree`. */
  readonly keys: readonly string[];
  /** Whether either side may join on any of its columns. */
  readonly isFree: boolean;
}

/** Binds one side of a pair. A wrong prefix has only one possible repair. */
function bindSide(
  { side, source, prefix, reference, keys, isFree }: PairSide,
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
  const joinsOutput = joinsOutputs(source, binding);
  if (bound !== undefined && (bound.isKey || (joinsOutput && bound.type !== 'num')))
    return { ...bound, side: side === 'left' ? 'from' : 'with' };
  if (joinsOutput && bound !== undefined) throw queryError('E_INVALID_JOIN decimal', at, given);
  if (source.keys.includes(column)) {
    const kept = { view: source.name, column: `${source.material}.${column}` };
    throw queryError('E_INVALID_JOIN not-kept', at, { ...given, ...kept });
  }
  if (joinsOutput) {
    const columns = [...source.columns.keys()];
    throw queryError('E_INVALID_JOIN not-output', at, {
      ...given,
      view: source.name,
      column,
      columns,
      nearest: binding.meant(() => nearest(column, columns)),
    });
  }
  if (bound !== undefined && source.resolved.kind === 'view' && binding.contract.rules.features.has(OUTPUTS))
    throw featureError(binding.contract, OUTPUTS, at);
  const hint = keys.length === 0 ? 'none' : isFree ? 'own' : undefined;
  throw queryError('E_INVALID_JOIN key', at, { ...given, keys, hint });
}

/** Whether a side may join on any of its columns, not only on the keys of its material. */
const joinsOutputs = ({ resolved }: Source, { contract }: Binding): boolean =>
  resolved.kind === 'view' && isEnabled(contract, OUTPUTS);

/** Binds a pair: the same key on both sides or, if one side is a view, comparable columns. */
function bindPair(left: PairSide, right: PairSide, pair: Path, binding: Binding): ResolvedJoin['on'][number] {
  const bound = { left: bindSide(left, pair, binding), right: bindSide(right, pair, binding) };
  const joinsOutput = joinsOutputs(left.source, binding) || joinsOutputs(right.source, binding);
  const isSameKey = bound.left.isKey && bound.right.isKey && bound.left.name === bound.right.name;
  const fault = joinsOutput ? kindFault(bound.left, bound.right) : 'E_INVALID_JOIN unequal';
  if (isSameKey || fault === null) return bound;
  const isSlip = fault === 'E_INVALID_JOIN ids' && right.source.columns.has(left.reference.column);
  throw queryError(isSlip ? 'E_INVALID_JOIN unequal' : fault, formatPath([...pair, 'right']), {
    side: 'right',
    received: `${right.prefix}.${right.reference.column}`,
    prefix: right.prefix,
    other: `${left.prefix}.${left.reference.column}`,
    right: `${right.prefix}.${left.reference.column}`,
    type: bound.right.type,
    otherType: bound.left.type,
  });
}

/** The error if two columns are not comparable. Ids are comparable only with ids of the same kind. */
function kindFault(left: BoundColumn, right: BoundColumn) {
  if (left.type !== right.type) return 'E_INVALID_JOIN types';
  return left.type === 'id' && left.identifies !== right.identifies ? 'E_INVALID_JOIN ids' : null;
}

/**
 * The filled columns and their values: those of the joined side and, if both sides are kept, those of the `from` side except
 * the keys.
 */
export function resolveFill(
  join: ParsedJoin | null,
  columns: readonly BoundColumn[],
  sides: Sides,
  at: string | undefined,
  zone: string,
): ResolvedJoin['fill'] {
  const fill = join?.fill ?? null;
  if (fill === null) return [];
  const merged = mergedPairs(sides);
  const isFilled = ({ side, name }: BoundColumn): boolean =>
    side === 'with' || merged?.every(({ left }) => left.column !== name) === true;
  const filled = new Map(columns.filter(isFilled).map((bound) => [`${bound.side} ${bound.name}`, bound]));
  return [...filled.values()].map(({ side, name, type }) => {
    const value = VALUE_TYPES[type].read(fill, zone);
    const { isValid, expected } = FILL_TYPES[type];
    if (value !== undefined && isValid(value)) return { side, column: name, type, value };
    throw queryError('E_INVALID_JOIN fill', at, {
      received: fill,
      column: `${sides[side]?.name}.${name}`,
      type,
      expected,
    });
  });
}
