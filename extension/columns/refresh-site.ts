// Brings the copy of one site to PostgreSQL's present state: one snapshot there, one transaction here.
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { z } from 'zod';
import type { ColumnFile } from './column-file';
import { type CopiedTable, isShared } from './copied-tables';
import { type CopyContext, copyShared, copySpan } from './copy-rows';
import { findSpans, type SiteSpans } from './site-spans';
import { type CountsTable, forgetCounts, removeCounts } from './unique-counts';

/** What the copy of a site was made from. */
export interface SiteCopy {
  readonly siteId: number;
  readonly version: number;
  /** The snapshot of PostgreSQL, as pg_current_snapshot() writes it. */
  readonly snapshot: string;
  /** Epoch seconds by PostgreSQL's clock. */
  readonly copiedAt: number;
  /** The machine whose snapshot it is, where the tables are divided over several; otherwise null. */
  readonly machine: string | null;
}

export interface RefreshOptions {
  readonly file: ColumnFile;
  /** A connection in a transaction that begins with this work. */
  readonly client: Client;
  readonly tables: readonly CopiedTable[];
  /** Digests of the shared tables as the copy has them, kept up to date; they are copied only where they differ. */
  readonly shared: Map<string, string>;
  readonly counts: readonly CountsTable[];
  /** Whether the tables are divided over the machines of a Citus. */
  readonly isDivided: boolean;
  readonly siteId: number;
  /** undefined = the copy has nothing of the site yet. */
  readonly known: SiteCopy | undefined;
  readonly signal: AbortSignal;
  /** Called in the transaction of the copy, right before it is committed. */
  readonly beforeCommit: () => void;
  /** Called before each piece. */
  readonly onProgress: (progress: RefreshProgress) => Promise<void>;
}

export interface RefreshProgress {
  /** What is copied next. */
  readonly table: string;
  /** Copied so far. */
  readonly rows: number;
  /** All rows of the site, while it is filled anew. */
  readonly of: number | undefined;
}

/** How long changes stay in PostgreSQL, by the beginning of their transaction. */
const CHANGES_KEPT_SECONDS = 7 * 86_400;
/** An older copy is filled anew: a long transaction may have begun before its snapshot, and its changes may be pruned. */
const MOST_AGE_SECONDS = 6 * 86_400;
/** A copy that nothing changed for so long takes up a newer snapshot. */
const RENEWED_SECONDS = 86_400;
const DAY = 86_400;

const siteRow = z.object({
  ...{ site_id: z.number(), tracking_id: z.string(), data_version: z.coerce.number(), now: z.number() },
});
const presentRow = z.object({
  ...{ version: z.coerce.number(), snapshot: z.string(), now: z.number(), is_known: z.boolean() },
  machine: z.string().nullable(),
});
type Present = z.infer<typeof presentRow>;

/** The sites that PostgreSQL has, each with the version of its data, and the time in epoch seconds. */
export async function listSites(write: Knex) {
  const now = write.raw('extract(epoch FROM now())::float8 AS now');
  const rows = await write
    .from('analytics.site')
    .join('analytics.site_version', { 'site_version.site_id': 'site.site_id' })
    .select('site.site_id', 'tracking_id', 'data_version', now);
  return rows.map((row) => {
    const { site_id: siteId, tracking_id: trackingId, data_version: version, now } = siteRow.parse(row);
    return { siteId, trackingId, version, now };
  });
}

/** Of the database when a version was raised: see the migration 0082. */
const timelineOf = (version: number): number => Math.floor(version / 2 ** 32);

/** Whether a copy that is current should be made from a newer snapshot, before it is too old for the next change. */
export function isToRenew({ copiedAt }: SiteCopy, now: number): boolean {
  const age = now - copiedAt;
  return age > RENEWED_SECONDS && age < MOST_AGE_SECONDS;
}

/** Forgets changes that every copy has, or is too old to follow. */
export async function pruneChanges(write: Knex): Promise<void> {
  await write.raw('DELETE FROM analytics.change WHERE changed_at < now() - make_interval(secs => ?)', [
    CHANGES_KEPT_SECONDS,
  ]);
}

/** Of the machine that answers: every statement about one site is sent to the one that has it. */
const MACHINE = '(SELECT system_identifier::text FROM pg_control_system())';

/** Copies what changed of a site since its last copy, or all of it. Removes a site that is gone, and gives undefined. */
export async function refreshSite(options: RefreshOptions): Promise<SiteCopy | undefined> {
  const { file, client, tables, shared, siteId, known, beforeCommit } = options;
  await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  const { rows } = await client.query(
    `SELECT data_version AS version, pg_current_snapshot()::text AS snapshot, extract(epoch FROM now())::float8 AS now,
            coalesce(pg_snapshot_xmax($2::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot()), false) AS is_known,
            ${options.isDivided ? MACHINE : 'NULL'} AS machine
       FROM analytics.site_version WHERE site_id = $1`,
    [siteId, known?.snapshot ?? null],
  );
  const present = presentRow.optional().parse(rows[0]);
  const contextOf = (run: CopyContext['run']) => ({ client, exchangeFolder: file.exchangeFolder, run });
  const copied = new Map<string, string>();
  const copyAllShared = async (run: CopyContext['run']) => {
    for (const table of tables.filter(isShared))
      copied.set(
        table.name,
        await copyShared(contextOf(run), table, present && siteId, shared.get(table.name)),
      );
  };
  const made = await (present === undefined ? removed() : refreshed(present));
  for (const [name, digest] of copied) shared.set(name, digest);
  return made;

  async function removed(): Promise<undefined> {
    await removeSite(options, copyAllShared);
  }

  async function refreshed(present: Present): Promise<SiteCopy> {
    const { version, snapshot, now: copiedAt, machine } = present;
    const spans = await findSpans(
      client,
      tables,
      siteId,
      canFollow(known, present) ? known.snapshot : undefined,
    );
    const made = { siteId, version, snapshot, copiedAt, machine };
    await file.write(async (run) => {
      await copyAllShared(run);
      await copyRows(options, contextOf(run), spans);
      await run({ text: 'DELETE FROM copied_site WHERE site_id = $1', bindings: [siteId] });
      await run({
        text: 'INSERT INTO copied_site VALUES ($1, $2, $3, $4, $5)',
        bindings: [siteId, version, snapshot, copiedAt, machine],
      });
      beforeCommit();
    });
    return made;
  }
}

const canFollow = (known: SiteCopy | undefined, present: Present): known is SiteCopy =>
  known !== undefined &&
  present.is_known &&
  // A site may have moved: numbers of transactions are those of one machine.
  known.machine === present.machine &&
  // Versions fall only where a backup took the place of the data, or another server that lacked the last transactions. The
  // snapshot may then call some of those seen which never were.
  known.version <= present.version &&
  timelineOf(known.version) === timelineOf(present.version) &&
  present.now - known.copiedAt < MOST_AGE_SECONDS;

async function copyRows(
  { tables, counts, siteId, known, signal, onProgress }: RefreshOptions,
  context: CopyContext,
  { of, spansIn }: SiteSpans,
): Promise<void> {
  let rows = 0;
  const forget = async ({ name }: CopiedTable, from: number) => {
    if (counts.some(({ source }) => source === name)) await forgetCounts(context.run, name, siteId, from);
  };
  for (const table of tables.filter((it) => !isShared(it))) {
    if (of !== undefined && known !== undefined) {
      await context.run({
        text: `DELETE FROM analytics.${table.name} WHERE site_id = $1`,
        bindings: [siteId],
      });
      await forget(table, 0);
    }
    for (const span of await spansIn(table)) {
      signal.throwIfAborted();
      await onProgress({ table: table.name, rows, of });
      rows += await copySpan(context, table, siteId, span);
      if (span !== undefined) await forget(table, span.low * DAY);
    }
  }
}

/** Takes a site out of the copy, and gives its space back; `also` belongs to the same transaction. */
export async function removeSite(
  from: Pick<RefreshOptions, 'file' | 'tables' | 'counts' | 'siteId' | 'beforeCommit'>,
  also: (run: CopyContext['run']) => Promise<void> = async () => {},
): Promise<void> {
  const { file, tables, counts, siteId, beforeCommit } = from;
  await file.write(async (run) => {
    const rows = tables.filter((table) => !isShared(table)).map(({ name }) => `analytics.${name}`);
    for (const table of [...rows, 'copied_site'])
      await run({ text: `DELETE FROM ${table} WHERE site_id = $1`, bindings: [siteId] });
    await removeCounts(run, counts, siteId);
    await also(run);
    beforeCommit();
  });
  await file.read({ text: 'CHECKPOINT' });
}
