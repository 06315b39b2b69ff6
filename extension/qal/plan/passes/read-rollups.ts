// A group of rows is answered from what is kept counted of whole local days; the rows beside them are read.

// Proof: the numbers of a block are those of exactly its rows, by the stored fields that all keys and conditions follow
// from. Blocks and spans of rows that are read are disjoint and cover all rows of the range, as the state of each site
// says; a statement that reads blocks fails when a site is not in that state. Counts and sums of disjoint rows add up.
// So do counts of different values: each is counted on the first whole day of its period on which it has its key, and
// among the rows beside these days only when it has the key on none of them; values of two sites are never equal.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { localPeriods } from '../../../time/local-periods';
import type { GroupNode, PlanNode } from '../../types/plan';
import { someNode } from '../../types/walk-plan';
import type { Pass, PassContext } from '../pass';
import type { Span } from '../rollups/blocks';
import { keptAnswer } from '../rollups/kept-answer';
import { type AskedGroup, matchGroup, type PeriodKey } from '../rollups/match-group';
import { chainOf } from '../rollups/row-chain';
import { splitSites } from '../rollups/split-sites';

/** More sites than these cost more than they save. */
const MOST_SITES = 50;
/** More days than these cost more than they save. */
const MOST_DAYS = 1_100;

export const readRollups: Pass = {
  name: 'read-rollups',
  only: 'rows',
  rewrites: {
    group(group, context) {
      const asked = askedOf(group, context.manifest);
      const answer = 'reason' in asked ? asked : answerOf(asked, context);
      if ('found' in answer) return answer.found;
      // Over groups that are answered there is nothing to answer any more.
      const isAnswered = someNode(group.input, ({ kind }) => kind === 'rollup');
      return isAnswered ? undefined : context.because(answer.reason);
    },
  },
};

interface Reason {
  readonly reason: string;
}

/** A group of rows of a time whose counts are kept. */
function askedOf(group: GroupNode, manifest: Manifest): AskedGroup | Reason {
  const chain = chainOf(group.input);
  if (chain === undefined) return { reason: 'The rows are joined, grouped, numbered or cut before.' };
  const { material: name, bounds } = chain.scan;
  const material = manifest.materials.get(name);
  const rollups = material && manifest.rollups.get(material.name);
  if (material === undefined || rollups === undefined) return { reason: `No counts are kept of ${name}.` };
  if (bounds.kind !== 'range' || bounds.field !== material.time?.field)
    return { reason: 'The rows are not read by their time.' };
  return { group, chain, bounds, manifest, material, rollups };
}

type Answer = { readonly found: PlanNode } | Reason;

function answerOf(asked: AskedGroup, { sites }: PassContext): Answer {
  const { siteIds } = asked.chain.scan;
  if (siteIds.length > MOST_SITES) return { reason: `The query is about more than ${MOST_SITES} sites.` };
  if (!siteIds.some((siteId) => sites.get(siteId)?.rollups)) {
    return { reason: 'No counts are kept of the site, or they are switched off.' };
  }
  const matched = matchGroup(asked);
  if ('reason' in matched) return matched;
  const match = matched.found;
  const range = { start: asked.bounds.start, end: asked.bounds.end };
  const periodsOf = (span: Span) => askedPeriods(span, match.period);
  const split = splitSites({ siteIds, states: sites, range, parents: match.parents, periodsOf });
  if (split === undefined) {
    return { reason: `The range has more than ${MOST_DAYS} days, or its clocks go back across a midnight.` };
  }
  if (split.blocks.length === 0) return { reason: 'Too little of the range are whole local days of a site.' };
  return { found: keptAnswer(asked, match, split) };
}

const askedPeriods = (span: Span, period: PeriodKey | null) => {
  if (span.start >= span.end) return [];
  if (period === null) return [{ ...span, value: null }];
  return localPeriods(span, period.clock, period.unit, MOST_DAYS);
};
