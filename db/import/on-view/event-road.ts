// Owns what is particular about events on their way in: they carry their time, and their parameters are observed.
import type { OpenRoad } from '../road';
import { observeParameters } from './observe-parameters';
import { viewRowRoad } from './view-row-road';

const COMPUTED: ReadonlySet<string> = new Set([
  'view_at',
  'session_id',
  'page_id',
  'site_id',
  'event_id',
  'fingerprint',
]);

/** Opens the road of events for one import. */
export const openEventRoad: OpenRoad = (parts) =>
  viewRowRoad(parts, {
    table: 'event',
    tables: ['event', 'event_name', 'conversion'],
    idColumn: 'event_id',
    computed: COMPUTED,
    defaults: new Map(),
    timeOf: (_viewAt, field) => field('at'),
    finish: ({ client, siteId }, firstId) => observeParameters(client, siteId, firstId),
  });
