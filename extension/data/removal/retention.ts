// Removes visits older than a site's retention period, in pieces with separate transactions, and other old records.
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import type { Log } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { laterDate } from '../../language/time/calendar';
import { instantOf, localDateOf } from '../../language/time/local-time';
import { inTransaction } from '../storage/in-transaction';
import { refreshStatistics } from '../storage/planner';
import { tryLockSite } from '../storage/site-locks';
import type { Workers } from '../storage/workers';
import { storedTables } from './removal-plan';
import { recordRemoval, totalOf } from './removal-record';
import { type RowsByMaterial, removeRows } from './remove-rows';
import { cutLongVisits, nextPiece, planOldVisits } from './retention-plan';

export interface RetentionOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  /** Undefined if no worker is watched. */
  readonly workers?: Workers | undefined;
  readonly log: Log;
  readonly clock: () => Date;
  /** Rows in one transaction. */
  readonly rowsAtOnce?: number;
}

/** Other work in the same rounds. */
export interface HourlyWork {
  /** The beginning of a sentence for the log: "Old query records could not be removed". */
  readonly failure: string;
  run(now: Date, signal: AbortSignal): Promise<unknown>;
}

export interface Retention {
  /** Stops after the piece that is being removed. */
  stop(): Promise<void>;
}

const ROUND_MS = 3_600_000;
export const ROWS_AT_ONCE = 1_000_000;

/** Removes what is too old, immediately and then once an hour. */
export function startRetention(options: RetentionOptions, others: readonly HourlyWork[]): Retention {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { clock, log } = options;
  const rounds = (async () => {
    while (!signal.aborted) {
      for (const { failure, run } of others)
        await run(clock(), signal).catch((error: unknown) =>
          log.error({ err: error }, `${failure}; the next attempt is in an hour.`),
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
}

/**
 * For every site with `retention_days`, removes the visits that ended more than that many local days ago. Sites whose machine does not
 * respond wait for the next round.
 */
export async function removeOldVisits(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { write, workers } = options;
  const { rows }: { rows: LimitedSite[] } = await write.raw(
    `SELECT site_id AS "siteId", tracking_id AS "trackingId", timezone, retention_days AS days
       FROM analytics.site WHERE retention_days IS NOT NULL ORDER BY site_id`,
  );
  for (const site of rows)
    if (workers?.isAway(site.siteId) !== true) await removeOfSite(options, site, signal);
}

/** Removes pieces, oldest first, until nothing is too old or an import locks the site. */
async function removeOfSite(
  options: RetentionOptions,
  site: LimitedSite,
  signal: AbortSignal,
): Promise<void> {
  const { write, manifest, clock } = options;
  const firstKept = laterDate(localDateOf(clock().getTime() / 1000, site.timezone), -site.days);
  const end = instantOf(`${firstKept}T00:00:00`, site.timezone);
  let removed = 0;
  let after = Number.NEGATIVE_INFINITY;
  while (after < end && !signal.aborted) {
    const begun = performance.now();
    const piece = await removePiece(options, site, { after, end });
    if (piece === undefined) break;
    removed += totalOf(piece.removed);
    after = piece.end;
    // Imports are rejected while a piece locks the site, so they get half of the time.
    if (after < end)
      await pause(performance.now() - begun, undefined, { signal, ref: false }).catch(() => {});
  }
  await refreshStatistics(write, site.siteId, storedTables(manifest), removed);
}

interface RemovedPiece {
  readonly removed: RowsByMaterial;
  /** In epoch seconds. */
  readonly end: number;
}

/** Removes one piece. Returns undefined if an import locks the site or no view is left. */
function removePiece(
  { write, manifest, workers, clock, log, rowsAtOnce = ROWS_AT_ONCE }: RetentionOptions,
  site: LimitedSite,
  span: { readonly after: number; readonly end: number },
): Promise<RemovedPiece | undefined> {
  const { siteId, trackingId, timezone } = site;
  const work = async (client: Client): Promise<RemovedPiece | undefined> => {
    if (!(await tryLockSite(client, siteId))) return undefined;
    const piece = await nextPiece(client, site, { ...span, rows: rowsAtOnce });
    if (piece === undefined) return undefined;
    const { first, end } = piece;
    const ends = { piece: end, all: span.end };
    await cutLongVisits(client, siteId, ends);
    const { removed } = await removeRows(client, manifest, siteId, planOldVisits(manifest, ends));
    if (totalOf(removed) === 0) return { removed, end };
    const days = { firstDay: localDateOf(first, timezone), lastDay: localDateOf(end - 1, timezone) };
    await recordRemoval(client, {
      at: clock(),
      login: 'server',
      kind: 'retention',
      trackingId,
      material: null,
      removed,
      ...days,
    });
    log.info({ site: trackingId, ...days, removed }, 'Removed visits older than the retention period.');
    return { removed, end };
  };
  return inTransaction(write, work, workers ? { guard: workers.guard([siteId]) } : {});
}
