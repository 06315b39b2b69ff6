// Owns which materials are figures with a key, and what their keys are.

import { ANY_SITE } from '../../storage/planner';
import { BadValue } from '../import-error';
import type { LateRefusal, OpenLoader, RoadParts } from '../loader';
import type { RowBatch } from '../row-batch';
import type { TableLayout } from '../table-layout';
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

interface Version {
  readonly id: number;
  readonly page: number;
  readonly device: number;
  readonly no: number;
}

const numberKey = ({ page, device, no }: Version): string => `${page} ${device} ${no}`;

/** The rows of the batch that are refused. */
export async function refuseTakenNumbers(
  { client, siteId }: RoadParts,
  layout: TableLayout,
  batch: RowBatch,
): Promise<readonly LateRefusal[]> {
  const versionOf = (row: number): Version => {
    const field = (name: string): number => batch.values[row * batch.width + layout.fieldOf(name)] ?? 0;
    return {
      id: field('version_id'),
      page: field('page_id'),
      device: field('device_id'),
      no: field('version_no'),
    };
  };
  const ids: number[] = [];
  const pages = new Set<number>();
  for (let row = batch.first; row < batch.end; row += 1) {
    const { id, page } = versionOf(row);
    ids.push(id);
    pages.add(page);
  }
  const stored = await client.query<Version>(
    `SELECT version_id::float8 AS id, page_id AS page, device_id AS device, version_no AS no
       FROM analytics.page_version
      WHERE site_id = ${ANY_SITE} AND (version_id = ANY($2::bigint[]) OR page_id = ANY($3::integer[]))`,
    [siteId, ids, [...pages]],
  );
  const holder = new Map<string, number>();
  const held = new Map<number, string>();
  const hold = (version: Version): void => {
    const before = held.get(version.id);
    if (before !== undefined) holder.delete(before);
    holder.set(numberKey(version), version.id);
    held.set(version.id, numberKey(version));
  };
  for (const version of stored.rows) hold(version);
  const refusals: LateRefusal[] = [];
  for (let row = batch.first; row < batch.end; row += 1) {
    const version = versionOf(row);
    const taken = holder.get(numberKey(version));
    if (taken === undefined || taken === version.id) hold(version);
    else {
      const reason = `version ${taken} is number ${version.no} of this page and device already`;
      refusals.push({ row, fault: new BadValue('version_no', version.no, reason) });
    }
  }
  return refusals;
}
