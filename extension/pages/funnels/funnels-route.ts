// POST funnels: the part `funnel 3` is the row for funnel 3, and `funnel` is the row for the first funnel.
import type { Analytics } from '../../api/analytics';
import { partsRoute } from '../dashboard/parts-route';
import type { PageRoute } from '../page-route';
import { kindWithId } from '../shared-types/filter-kinds';
import type { FunnelStep, FunnelsHead } from '../shared-types/report-types';
import { funnelQuery } from './funnel-query';
import { listFunnels } from './saved-funnels';

export const FUNNELS = 'funnels';

export function stepInWords(step: FunnelStep, goals: FunnelsHead['goals']): string {
  if (step.kind === 'page') return `Page ${kindWithId(step.op).words} ${step.value}`;
  if (step.kind === 'event') return `Event ${step.value}`;
  const goal = goals.find(({ id }) => id === step.goal);
  return goal === undefined ? `Goal ${step.goal} (removed)` : `Goal ${goal.name}`;
}

export const funnelsRoute = (analytics: Analytics): PageRoute =>
  partsRoute<FunnelsHead>(analytics, {
    slug: FUNNELS,
    summary: 'The funnels of a site, and how many visits reached each step of a funnel.',
    async complete(head, { site }) {
      const funnels = await listFunnels(analytics.host.database.read, site.siteId);
      return {
        ...head,
        funnels: funnels.map(({ id, name, steps }) => ({
          id,
          name,
          steps,
          words: steps.map((step) => stepInWords(step, head.goals)),
        })),
      };
    },
    queryOf({ id }, { filters }, { site, range, funnels, goals }) {
      const funnel = id === 'funnel' ? funnels[0] : funnels.find((one) => `funnel ${one.id}` === id);
      if (funnel === undefined) return undefined;
      const isRemoved = (step: FunnelStep) =>
        step.kind === 'goal' && goals.every(({ id: goal }) => goal !== step.goal);
      if (funnel.steps.some(isRemoved))
        return { refusal: 'A goal of this funnel was removed. Choose another step, or add the goal again.' };
      return funnelQuery(funnel.steps, { site, range, filters });
    },
  });
