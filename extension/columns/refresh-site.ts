// Brings the copy of one site to PostgreSQL's present state: one snapshot there, one transaction here.
import type { Knex } from 'knex';
import type { Client, ClientBase } from 'pg';
import { z } from 'zod';
import type { ColumnFile } from './column-file';
import type { CopiedTable } from './copied-tables';
import { type CopyContext, copySpan, copyWhole, type Span } from './copy-rows';
import { type CountsTable, forgetCounts, removeCounts } from './unique-counts';

/** What the copy of a site was made from. */
export interface SiteCopy {
  readonly siteId: number;
  readonly version: number;
  /** The snapshot of PostgreSQL, as pg_current_snapshot() writes it. */
  readonly snapshot: string;
  /** Epoch seconds by PostgreSQL's clock. */
  readonly copiedAt: number;
}

export interface RefreshOptions {
  readonly file: ColumnFile;
  /** A connection in a transaction that begins with this work. */
  readonly client: Client;
  readonly tables: readonly CopiedTable[];
  readonly counts: readonly CountsTable[];
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
/** Rows are copied by so many days at a time, so that a file on the way stays small; all at once in a small site. */
const DAYS_AT_ONCE = 14;
const SMALL_SITE_ROWS = 100_000;
const DAY = 86_400;
/**
 * Beyond so many changed days a site is filled anew. Measured with imports of 300,000 views: 600 separate days of a site of 1.9M
 * views took 40 s of processor time, and filling it anew 20 s for each million. Of a larger site more days could be copied.
 */
const MOST_CHANGED_DAYS = 600;

const siteRow = z.object({
  ...{ site_id: z.number(), tracking_id: z.string(), data_version: z.coerce.number(), now: z.number() },
});
const presentRow = z
  .object({ version: z.coerce.number(), snapshot: z.string(), now: z.number(), is_known: z.boolean() })
  .optional();
const changeRows = z.array(
  z.object({ table_name: z.string(), low: z.coerce.number(), high: z.coerce.number() }),
);
const countedRow = z.tuple([z.object({ rows: z.coerce.number() })]);
const spanRows = z.array(z.object({ low: z.coerce.number().nullable(), high: z.coerce.number().nullable() }));

/** The sites that PostgreSQL has, each with the version of its data, and the time in epoch seconds. */
export async function listSites(write: Knex) {
  const now = write.raw('extract(epoch FROM now())::float8 AS now');
  const rows = await write.from('analytics.site').select('site_id', 'tracking_id', 'data_version', now);
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

/** Copies what changed of a site since its last copy, or all of it. Removes a site that is gone, and gives undefined. */
export async function refreshSite(options: RefreshOptions): Promise<SiteCopy | undefined> {
  const { file, client, tables, counts, siteId, known, signal, beforeCommit } = options;
  await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  const { rows } = await client.query(
    `SELECT data_version AS version, pg_current_snapshot()::text AS snapshot, extract(epoch FROM now())::float8 AS now,
            coalesce(pg_snapshot_xmax($2::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot()), false) AS is_known
       FROM analytics.site WHERE site_id = $1`,
    [siteId, known?.snapshot ?? null],
  );
  const present = presentRow.parse(rows[0]);
  if (present === undefined) {
    await removeSite(options, async (run) => {
      for (const table of tables.filter(isShared))
        await copyWhole({ client, exchangeFolder: file.exchangeFolder, run }, table);
    });
    return undefined;
  }
  const canFollow =
    known !== undefined &&
    present.is_known &&
    // Versions fall only where a backup took the place of the data, or another server that lacked the last transactions. The
    // snapshot may then call some of those seen which never were.
    known.version <= present.version &&
    timelineOf(known.version) === timelineOf(present.version) &&
    present.now - known.copiedAt < MOST_AGE_SECONDS;
  const changes = canFollow ? await changesSince(client, siteId, known.snapshot) : undefined;
  return file.write(async (run) => {
    const context: CopyContext = { client, exchangeFolder: file.exchangeFolder, run };
    const of = changes === undefined ? await countStoredRows(client, tables, siteId) : undefined;
    let rows = 0;
    const forget = async ({ name }: CopiedTable, from: number) => {
      if (counts.some(({ source }) => source === name)) await forgetCounts(run, name, siteId, from);
    };
    const copy = async (table: CopiedTable, span: Span) => {
      signal.throwIfAborted();
      await options.onProgress({ table: table.name, rows, of });
      rows += await copySpan(context, table, siteId, span);
      await forget(table, span.low * DAY);
    };
    for (const table of tables) {
      if (isShared(table)) await copyWhole(context, table);
      else if (changes !== undefined) for (const span of joinedSpans(changes, table)) await copy(table, span);
      else {
        await run({ text: `DELETE FROM analytics.${table.name} WHERE site_id = $1`, bindings: [siteId] });
        await forget(table, 0);
        for (const span of await allSpans(client, table, siteId, of)) await copy(table, span);
      }
    }
    await run({ text: 'DELETE FROM copied_site WHERE site_id = $1', bindings: [siteId] });
    const made = { siteId, version: present.version, snapshot: present.snapshot, copiedAt: present.now };
    await run({
      text: 'INSERT INTO copied_site VALUES ($1, $2, $3, $4)',
      bindings: [siteId, made.version, made.snapshot, made.copiedAt],
    });
    beforeCommit();
    return made;
  });
}

const isShared = ({ unit }: CopiedTable): boolean => unit === 'shared';

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

/** The rows of a site in all tables that are not shared. */
export async function countStoredRows(
  client: ClientBase,
  tables: readonly CopiedTable[],
  siteId: number,
): Promise<number> {
  const counts = tables
    .filter((table) => !isShared(table))
    .map(({ name }) => `(SELECT count(*) FROM analytics.${name} WHERE site_id = $1)`);
  const { rows } = await client.query(`SELECT ${counts.join(' + ')} AS rows`, [siteId]);
  return countedRow.parse(rows)[0].rows;
}

type Change = z.infer<typeof changeRows>[number];

/** What transactions changed that the snapshot did not see; undefined when that is so much that all is copied quicker. */
async function changesSince(
  client: ClientBase,
  siteId: number,
  snapshot: string,
): Promise<readonly Change[] | undefined> {
  const { rows } = await client.query(
    `SELECT DISTINCT table_name, low, high FROM analytics.change
      WHERE site_id = $1 AND transaction >= pg_snapshot_xmin($2::pg_snapshot)
        AND NOT pg_visible_in_snapshot(transaction, $2::pg_snapshot)
      ORDER BY table_name, low`,
    [siteId, snapshot],
  );
  const changes = changeRows.parse(rows);
  return changes.length > MOST_CHANGED_DAYS ? undefined : changes;
}

/** The changed spans of a table; those that overlap or follow each other become one, of days no longer than a piece. */
function joinedSpans(changes: readonly Change[], { name, unit }: CopiedTable): readonly Span[] {
  const most = unit === 'day' ? DAYS_AT_ONCE : Number.POSITIVE_INFINITY;
  const joined: Span[] = [];
  for (const { low, high } of changes.filter((it) => it.table_name === name)) {
    const last = joined.at(-1);
    if (last !== undefined && low <= last.high + 1 && high - last.low < most)
      joined[joined.length - 1] = { low: last.low, high: Math.max(last.high, high) };
    else joined.push({ low, high });
  }
  return joined;
}

/** The spans of all of a site's rows in a table; `of` as in RefreshProgress. */
async function allSpans(
  client: ClientBase,
  { name, unit, unitField }: CopiedTable,
  siteId: number,
  of = SMALL_SITE_ROWS,
): Promise<readonly Span[]> {
  const value =
    unitField.kind === 'timestamp with time zone'
      ? `(${unitField.name} AT TIME ZONE 'UTC')::date - DATE '1970-01-01'`
      : unitField.kind === 'date'
        ? `${unitField.name} - DATE '1970-01-01'`
        : unitField.name;
  const edge = (direction: string) =>
    `(SELECT ${value} FROM analytics.${name} WHERE site_id = $1 ORDER BY ${unitField.name} ${direction} LIMIT 1)`;
  const { rows } = await client.query(`SELECT ${edge('ASC')} AS low, ${edge('DESC')} AS high`, [siteId]);
  const { low, high } = spanRows.parse(rows)[0] ?? { low: null, high: null };
  if (low === null || high === null) return [];
  if (unit === 'id' || of < SMALL_SITE_ROWS) return [{ low, high }];
  return Array.from({ length: Math.ceil((high - low + 1) / DAYS_AT_ONCE) }, (_, index) => {
    const first = low + index * DAYS_AT_ONCE;
    return { low: first, high: Math.min(first + DAYS_AT_ONCE - 1, high) };
  });
}
