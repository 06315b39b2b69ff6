import { featureError } from '../errors/feature-error';
import { queryError } from '../errors/query-error';
import { nearest } from '../names/nearest';
import { isEnabled } from '../types/contract';
import type { ParsedView } from '../types/parsed-query';
import { type Repair, write } from '../types/repair';
import type { ResolvedView } from '../types/resolved-query';
import type { Binding } from './binding';
import type { ViewSources } from './resolve-view';
import { type Source, viewSource } from './source';

export interface KnownSources {
  /** Materials that the query lists, and those that an unambiguous repair has added. */
  readonly materials: Map<string, Source>;
  readonly earlier: readonly ResolvedView[];
  /** A material that the query does not list. Null if the query may not read it, undefined if it does not exist. */
  unlisted(name: string): Source | null | undefined;
}

/** Finds the sources that `from` and `join.with` name. The first clause that needs `with` reports `joinFault`. */
export function sourcesOf(view: ParsedView, known: KnownSources, binding: Binding): ViewSources {
  const from = fromSource(view, known, binding);
  const { join } = view;
  if (join === null) return { from, with: null, join, joinFault: null };
  const received = join.with;
  const at = `make.${view.name}.join.with`;
  const other = named(received, known, binding);
  if (other === undefined) return { from, join, ...unknownWith(received, at, known, binding) };
  const joinFault = other.name === from.name ? queryError('E_INVALID_JOIN itself', at, { received }) : null;
  return { from, with: other, join, joinFault };
}

function named(
  name: string,
  { materials, earlier }: KnownSources,
  { contract }: Binding,
): Source | undefined {
  const material = materials.get(name);
  if (material !== undefined || !isEnabled(contract, 'view_chaining')) return material;
  const view = earlier.find((other) => other.name === name);
  return view === undefined ? undefined : viewSource(view);
}

function fromSource(view: ParsedView, known: KnownSources, binding: Binding): Source {
  const found = named(view.from, known, binding);
  if (found !== undefined) return found;
  const { materials, earlier } = known;
  const at = `make.${view.name}.from[0]`;
  const received = view.from;
  const defined = earlier.map(({ name }) => name);
  // If chaining were on, the earlier view would have been found.
  if (defined.includes(received)) throw featureError(binding.contract, 'view_chaining', at);
  const listed = [...materials.keys()];
  const unlisted = known.unlisted(received);
  if (unlisted !== undefined) {
    const given = { received, available: listed };
    const fault = queryError('E_UNKNOWN_MATERIAL not-listed', at, given, list(received, unlisted, known));
    if (unlisted === null) throw fault;
    binding.note(fault);
    return unlisted;
  }
  const candidates = [...listed, ...defined];
  const near = binding.meant(() => nearest(received, candidates));
  const given = { received, defined, known: candidates, nearest: near };
  throw queryError('E_UNKNOWN_VIEW', at, given);
}

function unknownWith(
  received: string,
  at: string,
  known: KnownSources,
  binding: Binding,
): Pick<ViewSources, 'with' | 'joinFault'> {
  const { materials, earlier } = known;
  // If chaining were on, the earlier view would have been found.
  if (earlier.some(({ name }) => name === received))
    return { with: null, joinFault: featureError(binding.contract, 'view_chaining', at) };
  const sources = [...materials.keys(), ...earlier.map(({ name }) => name)];
  const unlisted = known.unlisted(received);
  if (unlisted === undefined) {
    const given = { received, sources, nearest: binding.meant(() => nearest(received, sources)) };
    return { with: null, joinFault: queryError('E_INVALID_JOIN with', at, given) };
  }
  const given = { received, sources, hint: 'unlisted' } as const;
  const repair = list(received, unlisted, known);
  return { with: unlisted, joinFault: queryError('E_INVALID_JOIN with', at, given, repair) };
}

/** Adds a material to `materials`. The repair is not certain if the query may not read the material. */
function list(name: string, source: Source | null, { materials }: KnownSources): Repair {
  const names = [...materials.keys(), name].map((it) => ({ name: it }));
  if (source !== null) materials.set(name, source);
  return { certain: source !== null, edits: [write(['materials'], names)] };
}
