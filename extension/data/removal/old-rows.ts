// Retention of datasets without visitors: removes the rows of days that are too old, in pieces with separate transactions.
import type { ClientBase } from 'pg';
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import { laterDate } from '../../language/time/calendar';
import { localDateOf } from '../../language/time/local-time';
import { inTransaction } from '../storage/in-transaction';
import { tryLockSite } from '../storage/site-locks';
import { type Bind, partOf } from './removal-plan';
import { recordRemoval, totalOf } from './removal-record';
import { removeRows } from './remove-rows';
import { type RetentionOptions, ROWS_AT_ONCE } from './retention';

/** The number of days for which rows of a dataset are kept. */
interface KeptRows {
  readonly material: string;
  readonly days: number;
}

interface Site {
  readonly siteId: number;
  readonly trackingId: string;
  readonly timezone: string;
}

/** A version is as old as the next one of its page and device, which replaced it. */
const IS_REPLACED = (before: string): string => `EXISTS (
  SELECT FROM analytics.page_version n
   WHERE n.site_id = t.site_id AND n.page_id = t.page_id AND n.device_id = t.device_id AND n.version_no > t.version_no
     AND n.update_date < ${before})`;

/** The day of a row `t` before `end`. */
function oldRow({ name, time }: Material, end: string) {
  // A month is identified by its first day, and is old once its last day is.
  const last = time?.field === 'month' ? `(t.month + interval '1 month - 1 day')::date` : `t.${time?.field}`;
  const isOld = (bind: Bind): string => {
    const before = `${bind(end)}::date`;
    return `${last} < ${before}${name === 'page_version' ? ` AND ${IS_REPLACED(before)}` : ''}`;
  };
  return { day: `t.${time?.field}`, isOld };
}

export async function removeOldRows(
  options: RetentionOptions,
  kept: readonly KeptRows[],
  signal: AbortSignal,
): Promise<void> {
  const { write, manifest, clock } = options;
  const { rows: sites }: { rows: Site[] } = await write.raw(
    'SELECT site_id AS "siteId", tracking_id AS "trackingId", timezone FROM analytics.site ORDER BY site_id',
  );
  for (const site of sites)
    for (const { material: name, days } of kept) {
      const material = materialOf(manifest, name);
      const end = laterDate(localDateOf(clock().getTime() / 1000, site.timezone), -days);
      while (!signal.aborted && (await removePiece(options, site, material, end)));
    }
}

function materialOf({ materials }: Manifest, name: string): Material {
  const material = materials.get(name);
  if (material?.time?.grain !== 'day') throw new Error(`Rows of ${name} have no day.`);
  return material;
}

/** Returns whether more rows are left. Does nothing while an import locks the site. */
function removePiece(
  { write, manifest, clock, log, rowsAtOnce = ROWS_AT_ONCE }: RetentionOptions,
  { siteId, trackingId }: Site,
  material: Material,
  end: string,
): Promise<boolean> {
  return inTransaction(write, async (client) => {
    const first = await oldDay(client, siteId, material, end, 0);
    if (first === undefined || !(await tryLockSite(client, siteId))) return false;
    const after = await oldDay(client, siteId, material, end, rowsAtOnce);
    // A day is removed as a whole, no matter how many rows it has.
    const until = after === undefined ? end : after > first ? after : laterDate(first, 1);
    const { removed } = await removeRows(client, manifest, siteId, {
      parts: [
        partOf(material, [
          (bind) =>
            `${oldRow(material, end).isOld(bind)} AND ${oldRow(material, until).day} < ${bind(until)}::date`,
        ]),
      ],
    });
    const what = { material: material.name, firstDay: first, lastDay: laterDate(until, -1) };
    await recordRemoval(client, {
      at: clock(),
      login: 'server',
      kind: 'retention',
      trackingId,
      removed,
      ...what,
    });
    log.info({ site: trackingId, ...what, removed }, 'Removed rows older than the retention period.');
    return after !== undefined && totalOf(removed) > 0;
  });
}

/** The day of the old row after `others` older ones. */
async function oldDay(
  client: ClientBase,
  siteId: number,
  material: Material,
  end: string,
  others: number,
): Promise<string | undefined> {
  const values: unknown[] = [siteId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const { day, isOld } = oldRow(material, end);
  const { rows } = await client.query<{ day: string }>(
    `SELECT to_char(${day}, 'YYYY-MM-DD') AS day FROM analytics.${material.table} t
      WHERE t.site_id = $1 AND ${isOld(bind)} ORDER BY ${day} OFFSET ${bind(others)} LIMIT 1`,
    values,
  );
  return rows[0]?.day;
}
