// Owns what is particular about clicks on their way in: they happened so many seconds after their page view began.
import type { OpenRoad } from '../road';
import { viewRowRoad } from './view-row-road';

const COMPUTED: ReadonlySet<string> = new Set([
  'at',
  'view_at',
  'session_id',
  'page_id',
  'site_id',
  'click_id',
  'fingerprint',
]);
/** A plain click. */
const DEFAULTS: ReadonlyMap<string, number> = new Map([['action_id', 1]]);

/** Opens the road of clicks for one import. */
export const openClickRoad: OpenRoad = (parts) =>
  viewRowRoad(parts, {
    table: 'click',
    tables: ['click', 'selector', 'conversion'],
    idColumn: 'click_id',
    computed: COMPUTED,
    defaults: DEFAULTS,
    timeOf: (viewAt, field) => viewAt + field('event_sec'),
  });
