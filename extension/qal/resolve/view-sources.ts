// Owns what the names in `from` and `join.with` of a view mean at its place in the query.
// A listed material or a view defined before -> Source; anything else is the caller's fault, told at its place.
import { type Contract, featureError, isEnabled } from '../../contracts/contract';
import { type QueryError, queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import type { ParsedView } from '../types/parsed-query';
import { certainly, type Repair, write } from '../types/repair';
import type { ResolvedView } from '../types/resolved-query';
import type { ViewSources } from './resolve-view';
import { type Source, viewSource } from './source';

/** What the names of a view's sources may mean at its place in the query. */
export interface KnownSources {
  readonly materials: ReadonlyMap<string, Source>;
  readonly earlier: readonly ResolvedView[];
  readonly contract: Contract;
  /** Whether the site has it, though the query does not list it. */
  isUnlisted(name: string): boolean;
}

/** Finds what a view reads and joins; throws what is wrong with `from`, and hands on what is wrong with `with`. */
export function sourcesOf(view: ParsedView, known: KnownSources): ViewSources {
  const from = fromSource(view, known);
  if (view.join === null) return { from, with: null, joinFault: null };
  const other = named(view.join.with, known);
  if (other === undefined) return { from, with: null, joinFault: unknownWith(view, view.join.with, known) };
  if (other.name !== from.name) return { from, with: other, joinFault: null };
  const joinFault = queryError('E_INVALID_JOIN', `make.${view.name}.join.with`, {
    problem: 'itself',
    received: view.join.with,
  });
  return { from, with: other, joinFault };
}

/** A listed material, or a view defined before. */
function named(name: string, { materials, earlier, contract }: KnownSources): Source | undefined {
  const material = materials.get(name);
  if (material !== undefined || !isEnabled(contract, 'view_chaining')) return material;
  const view = earlier.find((other) => other.name === name);
  return view === undefined ? undefined : viewSource(view);
}

function fromSource(view: ParsedView, known: KnownSources): Source {
  const found = named(view.from, known);
  if (found !== undefined) return found;
  const { materials, earlier, contract, isUnlisted } = known;
  const at = `make.${view.name}.from[0]`;
  const defined = earlier.map(({ name }) => name);
  // What is defined and yet not found needs chaining.
  if (defined.includes(view.from)) throw featureError(contract, 'view_chaining', at);
  if (isUnlisted(view.from)) {
    const listed = [...materials.keys()];
    const parameters = { problem: 'not-listed', received: view.from, listed } as const;
    throw queryError('E_UNKNOWN_MATERIAL', at, parameters, listing([...listed, view.from]));
  }
  throw queryError('E_UNKNOWN_VIEW', at, {
    received: view.from,
    defined,
    materials: [...materials.keys()],
    nearest: nearest(view.from, [...materials.keys(), ...defined]),
  });
}

function unknownWith(
  view: ParsedView,
  received: string,
  { materials, earlier, contract, isUnlisted }: KnownSources,
): QueryError {
  const at = `make.${view.name}.join.with`;
  // What is defined and yet not found needs chaining.
  if (earlier.some(({ name }) => name === received)) {
    return featureError(contract, 'view_chaining', at);
  }
  const sources = [...materials.keys(), ...earlier.map(({ name }) => name)];
  const unlisted = isUnlisted(received);
  return queryError(
    'E_INVALID_JOIN',
    at,
    { problem: 'with', received, sources, nearest: nearest(received, sources), unlisted },
    unlisted ? listing([...materials.keys(), received]) : undefined,
  );
}

/** What is there and only not listed is listed. */
const listing = (names: readonly string[]): Repair =>
  certainly(
    write(
      ['materials'],
      names.map((name) => ({ name })),
    ),
  );
