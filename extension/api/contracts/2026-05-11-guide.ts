import { z } from 'zod';
import { eventName } from '../../../manifests/reader/catalog';
import { siteChannelRules } from '../../../manifests/reader/channels';
import type { Scope } from '../../language/types/resolved-query';
import type { GoalCondition, Guide, GuideGoal, GuideText } from '../guide/guide';
import { type BodyOf, COUNT, DATE, documentation, SITE, siteFields } from './response-parts';

const VERSION = '2026-05-11';

const observedEvents = z.record(
  z.string().regex(/^[A-Za-z0-9_]+$/),
  z.object({
    material: z.string().regex(/^events\.[A-Za-z0-9_]+$/),
    columns: z.record(z.string(), z.enum(['number', 'string'])),
  }),
);

export const guide = z.object({
  version: z.literal(VERSION),
  revision: z.string().optional(),
  api_update: DATE,
  timestamp: z.iso.datetime(),
  plugin_version: z.string(),
  features: z.record(z.string(), z.boolean()),
  features_detail: z.record(z.string(), z.object({ enabled: z.boolean(), since: DATE.optional() })),
  sites: z.array(
    z.object({
      ...SITE,
      observed_events: observedEvents.optional(),
      /** The flags that are 1 on at least one page of the site. All others are always 0. */
      page_flags: z.array(z.string()).optional(),
      /** The site's custom channel rules. The shipped rules apply after them, unless `defaults` is false. */
      channel_rules: siteChannelRules.optional(),
    }),
  ),
  /** 0 if JSON responses have no limit. */
  limits: z.object({ max_answer_bytes: COUNT }),
  documentation: documentation('mixed', ['instructions', 'spec'], { format: z.enum(['markdown', 'yaml']) }),
});

/** The response to a request with `parts`: only the keys of those parts. */
export const guideParts = guide.partial({
  features: true,
  features_detail: true,
  sites: true,
  limits: true,
  documentation: true,
});

const instructions = (file: string, title: string, parts: GuideText['parts']): GuideText => ({
  path: `guide/${file}`,
  category: 'instructions',
  file,
  title,
  format: 'markdown',
  parts,
});

export const GUIDE_TEXTS: readonly GuideText[] = [
  instructions('README.md', 'Instructions for clients', ['compact', 'instructions']),
  { ...instructions('examples.md', 'Worked examples', ['examples']), onDemand: true },
  { ...instructions('errors.md', 'Errors and what to write', ['errors']), onDemand: true },
  {
    path: 'materials.yaml',
    category: 'spec',
    file: 'materials.yaml',
    title: 'Materials and columns',
    format: 'yaml',
    parts: ['materials'],
  },
  {
    path: `contracts/${VERSION}.yaml`,
    category: 'spec',
    file: 'qal-validation.yaml',
    title: 'Rules of a query',
    format: 'yaml',
    parts: ['rules'],
  },
];

export function guideBody(it: Guide): BodyOf<typeof guide> {
  const features = [...it.features];
  return {
    version: VERSION,
    api_update: it.apiUpdate,
    timestamp: it.timestamp.toISOString(),
    plugin_version: it.pluginVersion,
    features: Object.fromEntries(features.map(([name, { enabled }]) => [name, enabled])),
    features_detail: Object.fromEntries(
      features.map(([name, { enabled, since }]) => [
        name,
        enabled && since !== undefined ? { enabled, since } : { enabled },
      ]),
    ),
    sites: it.sites.map((site) => ({
      ...siteFields(site),
      goals: site.goals.map(objectCondition),
      ...(site.observedEvents === null ? {} : { observed_events: eventsBody(site.observedEvents) }),
      ...(site.pageFlags === null ? {} : { page_flags: site.pageFlags }),
      ...(site.channels === null ? {} : { channel_rules: site.channels }),
    })),
    limits: { max_answer_bytes: it.limits.maxAnswerBytes },
    documentation: {
      source: it.documentation.source,
      format: 'mixed',
      sections: it.documentation.sections,
    },
  };
}

const eventsBody = (events: Scope['events']): BodyOf<typeof observedEvents> =>
  Object.fromEntries(
    [...events].map(([event, parameters]) => [
      event,
      { material: eventName(event), columns: Object.fromEntries(parameters) },
    ]),
  );

/** Converts goals that are stored in the initial contract's form, where the condition is a string. */
const TEXT_CONDITIONS: Readonly<
  Record<string, (text: GoalCondition) => Pick<GuideGoal, 'type' | 'condition'>>
> = {
  url_match: (url) => ({ type: 'gtype_page', condition: { url, match: 'contains' } }),
  click: (selector) => ({ type: 'gtype_click', condition: { selector } }),
  scroll_depth: (depth) => ({ type: 'scroll_depth', condition: { depth: Number(depth) } }),
};

const objectCondition = ({ id, name, type, condition }: GuideGoal) => ({
  id,
  name,
  ...(TEXT_CONDITIONS[type]?.(condition) ?? { type, condition }),
});
