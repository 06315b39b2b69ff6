// The dimensions available as filters, with their dataset and column.
import { GOAL, PARAMETER } from '../shared-types/dashboard-types';

export type DatasetName = 'allpv' | 'datalayer_event' | 'gsc';

export type Conditions = Readonly<Record<string, unknown>>;

export interface Dimension {
  readonly label: string;
  readonly dataset: DatasetName;
  readonly column: string;
  /**
   * `visit`: constant within a visit. `view`: differs between page views. `edge`: a filter selects visits by one of their
   * rows. With `of`, that row is the visit's only page view that matches `of`.
   */
  readonly level: 'visit' | 'view' | 'edge';
  readonly of?: Conditions;
}

const ofVisit = (label: string, column: string): Dimension => ({
  label,
  column,
  dataset: 'allpv',
  level: 'visit',
});

export const ENTRY = { pv: 1 } as const;
export const EXIT = { is_last: 1 } as const;

export const DIMENSIONS = {
  page: { label: 'Page', column: 'url', dataset: 'allpv', level: 'view' },
  entry: { label: 'Entry page', column: 'url', dataset: 'allpv', level: 'edge', of: ENTRY },
  exit: { label: 'Exit page', column: 'url', dataset: 'allpv', level: 'edge', of: EXIT },
  channel: ofVisit('Channel', 'channel'),
  source: ofVisit('Source', 'source_domain'),
  utm_source: ofVisit('Campaign source', 'utm_source'),
  utm_medium: ofVisit('Campaign medium', 'utm_medium'),
  utm_campaign: ofVisit('Campaign', 'utm_campaign'),
  utm_term: ofVisit('Campaign term', 'utm_term'),
  utm_content: ofVisit('Campaign content', 'utm_content'),
  country: ofVisit('Country', 'country_code'),
  region: ofVisit('Region', 'region'),
  city: ofVisit('City', 'city'),
  language: ofVisit('Language', 'language'),
  device: ofVisit('Device', 'device_type'),
  browser: ofVisit('Browser', 'browser'),
  os: ofVisit('System', 'os'),
  [GOAL]: ofVisit('Goal', GOAL),
  event: { label: 'Event', column: 'event_name', dataset: 'datalayer_event', level: 'edge' },
  [PARAMETER]: {
    label: 'Event parameter',
    column: 'params_json',
    dataset: 'datalayer_event',
    level: 'edge',
  },
  keyword: { label: 'Keyword', column: 'keyword', dataset: 'gsc', level: 'view' },
} as const satisfies Readonly<Record<string, Dimension>>;

export type DimensionId = keyof typeof DIMENSIONS;

export const isDimension = (text: string): text is DimensionId => Object.hasOwn(DIMENSIONS, text);
