import { channelNames } from '../../manifests/reader/channels';
import { findNotes } from '../language/notes/find-notes';
import { pageFlagsIn } from '../language/notes/flag-notes';
import { isEnabled } from '../language/types/contract';
import type { ParsedQuery } from '../language/types/parsed-query';
import type { Note } from '../language/types/query-result';
import type { HintFailures } from '../language/types/repair';
import type { ResolvedQuery } from '../language/types/resolved-query';
import type { Steps } from '../language/types/steps';
import { emptyMaterials } from './empty-materials';
import { inTurns } from './in-turns';
import { knownPageFlags } from './known-page-flags';
import type { ScopeContext } from './load-scope';

/** What may be misread in a valid query; empty if the feature is off. `rows` is the number of rows in its result, if it was run. */
export async function notesOn(
  asked: ParsedQuery,
  { scope: { states, siteIds, channels: ofSites = [] }, views }: ResolvedQuery,
  context: ScopeContext,
  rows = 0,
): Promise<readonly Note[]> {
  if (!isEnabled(context.contract, 'answer_notes')) return [];
  const [state, ...others] = states;
  const isOneSite = state !== undefined && others.length === 0;
  // A result from a single material shows that the material has rows, except a total, which has a row even without them.
  const hasRows = rows > 0 && asked.materials.length === 1 && views.every(({ keep }) => keep.length > 0);
  const withoutRows =
    isOneSite && !hasRows ? await emptyMaterials(asked.materials, state, context) : new Set<string>();
  const namesFlags = views.some((view) => pageFlagsIn(view).length > 0);
  const known = isOneSite && namesFlags ? await knownPageFlags(states, context) : undefined;
  const pageFlags = known?.get(state?.siteId ?? 0) ?? new Map<string, boolean>();
  const { contract, manifest } = context;
  const isShipped = ofSites.flatMap((it) => it.siteIds).length < siteIds.length;
  const rules = [...(isShipped ? [manifest.channels] : []), ...ofSites.map((it) => it.rules)];
  const channels = rules.flatMap(channelNames);
  return inTurns(
    withoutFailing(
      findNotes(asked, views, { contract, manifest, withoutRows, pageFlags, channels }),
      context,
    ),
  );
}

/** A query does not fail because of its notes. */
function* withoutFailing(steps: Steps<readonly Note[]>, { onHintFailure }: HintFailures) {
  try {
    return yield* steps;
  } catch (error) {
    onHintFailure(error);
    return [];
  }
}
