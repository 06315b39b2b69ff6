// Owns what is particular about clicks on their way in: they happened so many seconds after their page view began.
import type { OpenLoader } from '../loader';
import { viewRowLoader } from './view-row-loader';

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

/** Opens the loader of clicks for one import. */
export const openClickLoader: OpenLoader = (parts) =>
  viewRowLoader(parts, {
    table: 'click',
    tables: ['click', 'selector', 'conversion'],
    idColumn: 'click_id',
    computed: COMPUTED,
    defaults: DEFAULTS,
    timeOf: (viewAt, field) => viewAt + field('event_sec'),
  });
