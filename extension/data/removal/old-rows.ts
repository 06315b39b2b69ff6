// Retention of datasets without visitors: removes the rows of days that are too old.
import type { ClientBase } from 'pg';
import { laterDate } from '../../language/time/calendar';
import { type Bind, bindings } from '../storage/bindings';
import { type StoredMaterial, storedMaterial } from '../storage/stored-materials';
import { type OldRows, type RetentionOptions, removeOld } from './retention';

/** The number of days for which rows of a dataset are kept. */
interface KeptRows {
  readonly material: string;
  readonly days: number;
}

/** A version is as old as the next version for its page and device, which replaced it. */
const IS_REPLACED = (before: string): string => `EXISTS (
  SELECT FROM analytics.page_version n
   WHERE n.site_id = t.site_id AND n.page_id = t.page_id AND n.device_id = t.device_id AND n.version_no > t.version_no
     AND n.update_date < ${before})`;

export const removeOldRows = (
  options: RetentionOptions,
  kept: readonly KeptRows[],
  signal: AbortSignal,
): Promise<void> =>
  removeOld(options, signal, ({ siteId }, today) =>
    kept.map(({ material, days }) =>
      rowsBefore(laterDate(today, -days), storedMaterial(options.manifest, material), siteId),
    ),
  );

/** The rows of a dataset before a day. */
function rowsBefore(end: string, material: StoredMaterial, siteId: number): OldRows {
  const { name, table, time } = material;
  const day = `t.${time.field}`;
  // A month is identified by its first day, and is old once its last day is.
  const last = time.field === 'month' ? `(t.month + interval '1 month - 1 day')::date` : day;
  const isOld = (bind: Bind): string => {
    const before = `${bind(end)}::date`;
    return `${last} < ${before}${name === 'page_version' ? ` AND ${IS_REPLACED(before)}` : ''}`;
  };
  /** The day of the next old row after the `others` oldest ones. */
  const dayAfter = async (client: ClientBase, others: number): Promise<string | undefined> => {
    const { bind, values } = bindings(siteId);
    const { rows } = await client.query<{ day: string }>(
      `SELECT to_char(${day}, 'YYYY-MM-DD') AS day FROM analytics.${table} t
        WHERE t.site_id = $1 AND ${isOld(bind)} ORDER BY ${day} OFFSET ${bind(others)} LIMIT 1`,
      values,
    );
    return rows[0]?.day;
  };
  return {
    material: name,
    async nextPiece(client, rows) {
      const first = await dayAfter(client, 0);
      if (first === undefined) return undefined;
      const after = await dayAfter(client, rows);
      // A day is removed as a whole, no matter how many rows it has.
      const until = after === undefined ? end : after > first ? after : laterDate(first, 1);
      const isInPiece = (bind: Bind): string => `${isOld(bind)} AND ${day} < ${bind(until)}::date`;
      return {
        plan: { parts: [{ material, where: isInPiece }] },
        firstDay: first,
        lastDay: laterDate(until, -1),
        isLast: after === undefined,
      };
    },
  };
}
