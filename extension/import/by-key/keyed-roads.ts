// Owns which materials are figures with a key, and what their keys are.
import type { OpenRoad } from '../road';
import { keyedRoad } from './keyed-road';
import { refuseTakenNumbers } from './taken-numbers';

/** The roads of these materials, by material. */
export const KEYED_ROADS: readonly (readonly [string, OpenRoad])[] = [
  [
    'gsc',
    (parts) =>
      keyedRoad(parts, {
        table: 'search_day',
        key: ['day', 'page_id', 'query_id', 'search_type'],
        dictionaries: ['page', 'keyword'],
      }),
  ],
  [
    'page_version',
    (parts) => keyedRoad(parts, { table: 'page_version', key: ['version_id'], refuse: refuseTakenNumbers }),
  ],
  [
    'ga4_age_gender',
    (parts) => keyedRoad(parts, { table: 'ga4_age_gender', key: ['month', 'age', 'gender'] }),
  ],
  ['ga4_country', (parts) => keyedRoad(parts, { table: 'ga4_country', key: ['month', 'country_code'] })],
  ['ga4_region', (parts) => keyedRoad(parts, { table: 'ga4_region', key: ['month', 'region'] })],
];
