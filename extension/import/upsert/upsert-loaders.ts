// Owns which materials are figures with a key, and what their keys are.
import type { OpenLoader } from '../loader';
import { refuseTakenNumbers } from './taken-numbers';
import { upsertLoader } from './upsert-loader';

/** The loaders of these materials, by material. */
export const KEYED_ROADS: readonly (readonly [string, OpenLoader])[] = [
  [
    'gsc',
    (parts) =>
      upsertLoader(parts, {
        table: 'search_day',
        key: ['day', 'page_id', 'query_id', 'search_type'],
        dimensions: ['page', 'keyword'],
      }),
  ],
  [
    'page_version',
    (parts) =>
      upsertLoader(parts, { table: 'page_version', key: ['version_id'], refuse: refuseTakenNumbers }),
  ],
  [
    'ga4_age_gender',
    (parts) => upsertLoader(parts, { table: 'ga4_age_gender', key: ['month', 'age', 'gender'] }),
  ],
  ['ga4_country', (parts) => upsertLoader(parts, { table: 'ga4_country', key: ['month', 'country_code'] })],
  ['ga4_region', (parts) => upsertLoader(parts, { table: 'ga4_region', key: ['month', 'region'] })],
];
