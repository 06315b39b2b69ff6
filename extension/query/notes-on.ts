import { LRUCache } from 'lru-cache';
import { channelNames } from '../../manifests/reader/channels';
import { materialsWithoutRows, type StoredRows } from '../data/storage/materials-without-rows';
import { findNotes } from '../language/notes/find-notes';
import { pageFlagsIn } from '../language/notes/flag-notes';
import { isEnabled } from '../language/types/contract';
import type { ParsedQuery } from '../language/types/parsed-query';
import type { Note } from '../language/types/query-result';
import type { HintFailures } from '../language/types/repair';
import type { ResolvedQuery, SiteState } from '../language/types/resolved-query';
import type { Steps } from '../language/types/steps';
import { inTurns } from './in-turns';
import { knownPageFlags } from './known-page-flags';
import type { ScopeContext } from './load-scope';

/** Notes on what people may misread in a valid query; none if the feature is off. `rows`: the number of result rows, if known. */
export async function notesOn(
  requested: ParsedQuery,
  { scope: { states, siteIds, channels: ofSites = [] }, views }: ResolvedQuery,
  context: ScopeContext,
  rows = 0,
): Promise<readonly Note[]> {
  if (!isEnabled(context.contract, 'answer_notes')) return [];
  const [state, ...others] = states;
  const isOneSite = state !== undefined && others.length === 0;
  // A result from a single material shows that the material has rows, unless it is a total, which always has a row.
  const hasRows = rows > 0 && requested.materials.length === 1 && views.every(({ keep }) => keep.length > 0);
  const withoutRows =
    isOneSite && !hasRows ? await emptyMaterials(requested.materials, state, context) : new Set<string>();
  const namesFlags = views.some((view) => pageFlagsIn(view).length > 0);
  const known = isOneSite && namesFlags ? await knownPageFlags(states, context) : undefined;
  const pageFlags = known?.get(state?.siteId ?? 0) ?? new Map<string, boolean>();
  const { contract, manifest } = context;
  const usesShipped = ofSites.flatMap((it) => it.siteIds).length < siteIds.length;
  const rules = [...(usesShipped ? [manifest.channels] : []), ...ofSites.map((it) => it.rules)];
  const channels = rules.flatMap(channelNames);
  return inTurns(
    withoutFailing(
      findNotes(requested, views, { contract, manifest, withoutRows, pageFlags, channels }),
      context,
    ),
  );
}

/** An error in the notes does not make the query fail. */
function* withoutFailing(steps: Steps<readonly Note[]>, { onHintFailure }: HintFailures) {
  try {
    return yield* steps;
  } catch (error) {
    onHintFailure(error);
    return [];
  }
}

const GOAL = /^goal_(\d+)$/;

interface Lookup extends Pick<ScopeContext, 'database'> {
  readonly siteId: number;
  readonly material: StoredRows;
}

/** A version is never reused, so entries stay valid. Concurrent queries share a lookup, so the lookup ignores their signals. */
const known = new LRUCache<string, boolean, Lookup>({
  max: 10_000,
  async fetchMethod(_key, _known, { context: { database, siteId, material }, signal }) {
    const empty = await materialsWithoutRows(database, [siteId], [material], signal);
    return empty.has(material.name);
  },
});

/** Looks up each material once per version. */
export async function emptyMaterials(
  names: readonly string[],
  { siteId, version }: SiteState,
  { database, manifest }: Pick<ScopeContext, 'database' | 'manifest'>,
): Promise<ReadonlySet<string>> {
  const materials = [...new Set(names)].flatMap((name): readonly StoredRows[] => {
    const goal = GOAL.exec(name)?.[1];
    if (goal !== undefined) return [{ name, table: manifest.conversionTable, goal: Number(goal) }];
    const material = manifest.materials.get(name);
    // Data about the whole installation has no version. A name that is not a material is an observed event, which has rows.
    return material === undefined || material.administratorsOnly ? [] : [material];
  });
  const empty = new Set<string>();
  for (const material of materials) {
    const { name } = material;
    const context = { database, siteId, material };
    if ((await known.fetch(`${version} ${name}`, { context })) === true) empty.add(name);
  }
  return empty;
}
