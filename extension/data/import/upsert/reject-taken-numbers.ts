// Version numbers are unique within a page and device class.

import { placesOf, type RowBatch, valueAt } from '../../rows/row-batch';
import type { TableLayout } from '../../rows/table-layout';
import { ANY_SITE } from '../../storage/planner';
import { BadValue } from '../import-error';
import type { LateRejection } from '../loader';
import type { LoaderContext } from '../loader-context';

interface Version {
  readonly id: number;
  readonly page: number;
  readonly device: number;
  readonly no: number;
}

/** Rejects page versions whose number another version already has, as if the rows were written one by one. */
export async function rejectTakenNumbers(
  { client, siteId }: LoaderContext,
  { fieldOf }: TableLayout,
  batch: RowBatch,
): Promise<readonly LateRejection[]> {
  const versions = Array.from(
    placesOf(batch),
    (row): Version => ({
      id: valueAt(batch, row, fieldOf('version_id')),
      page: valueAt(batch, row, fieldOf('page_id')),
      device: valueAt(batch, row, fieldOf('device_id')),
      no: valueAt(batch, row, fieldOf('version_no')),
    }),
  );
  const stored = await client.query<Version>(
    `SELECT version_id::float8 AS id, page_id AS page, device_id AS device, version_no AS no
       FROM analytics.page_version
      WHERE site_id = ${ANY_SITE} AND (version_id = ANY($2::bigint[]) OR page_id = ANY($3::integer[]))`,
    [siteId, versions.map(({ id }) => id), [...new Set(versions.map(({ page }) => page))]],
  );

  const holders = new Map<string, number>();
  const held = new Map<number, string>();
  const numberOf = ({ page, device, no }: Version): string => `${page} ${device} ${no}`;
  const hold = (version: Version): void => {
    holders.delete(held.get(version.id) ?? '');
    holders.set(numberOf(version), version.id);
    held.set(version.id, numberOf(version));
  };
  stored.rows.forEach(hold);
  return versions.flatMap((version, row): readonly LateRejection[] => {
    const holder = holders.get(numberOf(version)) ?? version.id;
    if (holder !== version.id) {
      const reason = `version ${holder} already has number ${version.no} for this page and device`;
      return [{ row, fault: new BadValue('version_no', version.no, reason) }];
    }
    hold(version);
    return [];
  });
}
