// A page has each version number only once per class of device.

import { placesOf } from '../../rows/row-batch';
import { ANY_SITE } from '../../storage/planner';
import { BadValue } from '../import-error';
import type { LateRejection } from '../loader';
import type { RejectLate } from './upsert-loader';

interface Version {
  readonly id: number;
  readonly page: number;
  readonly device: number;
  readonly no: number;
}

/** Rejects page versions whose number another version has, as if the rows were written one by one. */
export const rejectTakenNumbers: RejectLate = async ({ client, siteId }, layout, batch) => {
  const rows = Array.from(placesOf(batch), (row) => {
    const field = (name: string): number => batch.values[row * batch.shape.width + layout.fieldOf(name)] ?? 0;
    const version: Version = {
      id: field('version_id'),
      page: field('page_id'),
      device: field('device_id'),
      no: field('version_no'),
    };
    return { row, version };
  });
  const ids = rows.map(({ version }) => version.id);
  const pages = [...new Set(rows.map(({ version }) => version.page))];
  const stored = await client.query<Version>(
    `SELECT version_id::float8 AS id, page_id AS page, device_id AS device, version_no AS no
       FROM analytics.page_version
      WHERE site_id = ${ANY_SITE} AND (version_id = ANY($2::bigint[]) OR page_id = ANY($3::integer[]))`,
    [siteId, ids, pages],
  );

  const holders = new Map<string, number>();
  const held = new Map<number, string>();
  const hold = ({ id, page, device, no }: Version): void => {
    const number = `${page} ${device} ${no}`;
    holders.delete(held.get(id) ?? '');
    holders.set(number, id);
    held.set(id, number);
  };
  stored.rows.forEach(hold);
  return rows.flatMap(({ row, version }): readonly LateRejection[] => {
    const { id, page, device, no } = version;
    const holder = holders.get(`${page} ${device} ${no}`);
    if (holder === undefined || holder === id) {
      hold(version);
      return [];
    }
    const reason = `version ${holder} already has number ${no} for this page and device`;
    return [{ row, fault: new BadValue('version_no', no, reason) }];
  });
};
