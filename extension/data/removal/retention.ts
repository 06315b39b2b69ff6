// Removes the visits that a site no longer keeps: day by day, each day in a separate transaction. And other old records.
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Log } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { laterDate } from '../../language/time/calendar';
import { instantOf, localDateOf } from '../../language/time/local-time';
import { inTransaction } from '../storage/in-transaction';
import { refreshStatistics } from '../storage/planner';
import { tryLockSite } from '../storage/site-locks';
import { planVisitsBefore, storedTables } from './removal-plan';
import { recordRemoval, totalOf } from './removal-record';
import { type RowsByMaterial, removeRows } from './remove-rows';

interface RetentionOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly log: Log;
  readonly clock: () => Date;
}

/** Removes something else that is too old, in the same rounds. */
export interface OldRecords {
  /** As the log names them: "Old query records". */
  readonly name: string;
  remove(now: Date): Promise<void>;
}

export interface Retention {
  /** Ends after the day that is being removed. */
  stop(): Promise<void>;
}

const ROUND_MS = 3_600_000;

/** Removes what is too old now, and once in an hour from then on. */
export function startRetention(options: RetentionOptions, records: readonly OldRecords[]): Retention {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { clock, log } = options;
  const rounds = (async () => {
    while (!signal.aborted) {
      for (const { name, remove } of records)
        await remove(clock()).catch((error: unknown) =>
          log.error({ err: error }, `${name} could not be removed; the next attempt is in an hour.`),
        );
      await removeOldVisits(options, signal).catch((error: unknown) =>
        log.error(
          { err: error },
          'Visits that are too old could not be removed; the next attempt is in an hour.',
        ),
      );
      await pause(ROUND_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  })();
  return {
    stop() {
      stopping.abort();
      return rounds;
    },
  };
}

interface LimitedSite {
  readonly siteId: number;
  readonly trackingId: string;
  readonly timezone: string;
  readonly days: number;
  /** Start of the oldest page view, in epoch seconds. */
  readonly oldest: number | null;
}

/** Removes, for every site with `retention_days`, the visits that ended before so many local days. */
export async function removeOldVisits(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { write, manifest, clock } = options;
  const { rows }: { rows: LimitedSite[] } = await write.raw(
    `SELECT site_id AS "siteId", tracking_id AS "trackingId", timezone, retention_days AS days,
            (SELECT extract(epoch FROM min(v.at))::float8 FROM analytics.page_view v WHERE v.site_id = d.site_id) AS oldest
       FROM analytics.site s JOIN analytics.site_version d USING (site_id) WHERE retention_days IS NOT NULL ORDER BY site_id`,
  );
  for (const site of rows) {
    const { timezone, oldest, days } = site;
    if (oldest === null) continue;
    const firstKept = laterDate(localDateOf(clock().getTime() / 1000, timezone), -days);
    let removed = 0;
    for (let day = localDateOf(oldest, timezone); day < firstKept; day = laterDate(day, 1)) {
      if (signal.aborted) return;
      const rowsOfDay = await removeDay(options, site, day);
      // An import holds the site; the next round goes on.
      if (rowsOfDay === undefined) break;
      removed += totalOf(rowsOfDay);
    }
    await refreshStatistics(write, storedTables(manifest), removed);
  }
}

/** Removes the visits that ended on a day or before; undefined while the site is imported into. */
function removeDay(
  { write, manifest, clock, log }: RetentionOptions,
  { siteId, trackingId, timezone }: LimitedSite,
  day: string,
): Promise<RowsByMaterial | undefined> {
  const end = instantOf(`${laterDate(day, 1)}T00:00:00`, timezone);
  return inTransaction(write, async (client) => {
    if (!(await tryLockSite(client, siteId))) return undefined;
    const removed = await removeRows(client, manifest, siteId, planVisitsBefore(manifest, end));
    if (totalOf(removed) === 0) return removed;
    await recordRemoval(client, {
      ...{ at: clock(), login: 'server', kind: 'retention', trackingId, material: null, removed },
      ...{ firstDay: day, lastDay: day },
    });
    log.info({ site: trackingId, day, removed }, 'Removed visits that the site keeps no longer.');
    return removed;
  });
}
