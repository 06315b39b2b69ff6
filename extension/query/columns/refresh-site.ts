// Brings the copy of one site up to date: one snapshot in PostgreSQL, one transaction in DuckDB.
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { z } from 'zod';
import { CopyDiffers, ROWS } from './check-copied';
import type { ColumnFile } from './column-file';
import { inCopy, removal, rowsOfSite } from './compared-rows';
import { type CopiedTable, isShared } from './copied-tables';
import { type CopyContext, copyShared, copySpan } from './copy-rows';
import { COPIED_PIECES, findSpans, type PieceSizes, type SiteSpans, type StoredRows } from './site-spans';
import { type CountsTable, forgetCounts, removeCounts } from './unique-counts';

/** What the copy of a site was made from. */
export interface SiteCopy {
  readonly siteId: number;
  /** The token of the version. */
  readonly version: string;
  /** Its number, which comes again in another history. */
  readonly number: number;
  /** Epoch seconds by PostgreSQL's clock, for people. */
  readonly copiedAt: number;
}

interface RefreshOptions {
  readonly file: ColumnFile;
  /** A connection in a transaction that begins with this work. */
  readonly client: Client;
  readonly tables: readonly CopiedTable[];
  /** Digests of the shared tables as the copy has them, kept up to date; they are copied only where they differ. */
  readonly shared: Map<string, string>;
  readonly counts: readonly CountsTable[];
  readonly siteId: number;
  /** undefined = the copy has nothing of the site yet. */
  readonly known: SiteCopy | undefined;
  readonly pieceSizes?: PieceSizes | undefined;
  readonly signal: AbortSignal;
  /** Called before each piece. */
  readonly onProgress: (progress: RefreshProgress) => Promise<void>;
}

interface RefreshProgress {
  readonly table: string;
  /** Copied so far. */
  readonly rows: number;
  /** All rows of the site, during a full copy. */
  readonly of: number | undefined;
}

/** A copy that is further behind cannot follow the changes, and copies all rows again. */
const VERSIONS_KEPT = 1_000;
const DAY = 86_400;

const presentRow = z.object({ version: z.string(), number: z.coerce.number(), now: z.number() });
type Present = z.infer<typeof presentRow>;

/** Forgets the changes of old versions: by their number, since clocks are set. */
export async function pruneChanges(write: Knex): Promise<void> {
  await write.raw(
    `DELETE FROM analytics.change c WHERE NOT EXISTS (
       SELECT FROM analytics.site_version v WHERE v.site_id = c.site_id AND c.data_version > v.data_version - ?)`,
    [VERSIONS_KEPT],
  );
}

/** Copies what changed of a site since its last copy, or all of it. Removes a site that is gone, and returns undefined. */
export async function refreshSite(options: RefreshOptions): Promise<SiteCopy | undefined> {
  const { file, client, tables, shared, siteId, known, pieceSizes = COPIED_PIECES } = options;
  await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  const { rows } = await client.query(
    `SELECT token AS version, data_version AS number, extract(epoch FROM now())::float8 AS now
       FROM analytics.site_version WHERE site_id = $1`,
    [siteId],
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
    const { version, number, now: copiedAt } = present;
    const spans = await findSpans(client, tables, siteId, known, present, pieceSizes);
    const made = { siteId, version, number, copiedAt };
    await file.write(async (run) => {
      await copyAllShared(run);
      await copyRows(options, contextOf(run), spans);
      await run({ text: 'DELETE FROM copied_site WHERE site_id = $1', bindings: [siteId] });
      await run({
        text: 'INSERT INTO copied_site VALUES ($1, $2, $3, $4)',
        bindings: [siteId, version, number, copiedAt],
      });
    });
    return made;
  }
}

async function copyRows(
  { tables, counts, siteId, signal, onProgress }: RefreshOptions,
  context: CopyContext,
  { stored, spansIn }: SiteSpans,
): Promise<void> {
  let rows = 0;
  const forget = async ({ name }: CopiedTable, from: number) => {
    if (counts.some(({ source }) => source === name)) await forgetCounts(context.run, name, siteId, from);
  };
  for (const table of tables.filter((it) => !isShared(it))) {
    if (stored !== undefined) {
      // Also of a site that is new here: what spans do not name would stay.
      await context.run(removal(rowsOfSite(table, siteId, undefined)));
      await forget(table, 0);
    }
    for (const span of await spansIn(table)) {
      signal.throwIfAborted();
      await onProgress({ table: table.name, rows, of: stored?.all });
      rows += await copySpan(context, table, siteId, span);
      if (span !== undefined) await forget(table, span.low * DAY);
    }
    if (stored !== undefined) await checkRowCount(context.run, table, siteId, stored);
  }
}

/** Each span was compared; this sees what the copy has outside of them. */
async function checkRowCount(
  run: CopyContext['run'],
  table: CopiedTable,
  siteId: number,
  { byTable }: StoredRows,
): Promise<void> {
  const { title, copied } = rowsOfSite(table, siteId, undefined);
  const text = `SELECT count(*) FROM ${inCopy(table)} WHERE ${copied.text}`;
  const [[count] = []] = await run({ text, bindings: copied.bindings });
  if (Number(count) !== byTable.get(table.name))
    throw new CopyDiffers({ table: table.name, span: title, columns: [ROWS] });
}

/** Removes a site from the copy and frees its space; `also` runs in the same transaction. */
export async function removeSite(
  from: Pick<RefreshOptions, 'file' | 'tables' | 'counts' | 'siteId'>,
  also: (run: CopyContext['run']) => Promise<void> = async () => {},
): Promise<void> {
  const { file, tables, counts, siteId } = from;
  await file.write(async (run) => {
    const rows = tables.filter((table) => !isShared(table)).map(({ name }) => `analytics.${name}`);
    for (const table of [...rows, 'copied_site'])
      await run({ text: `DELETE FROM ${table} WHERE site_id = $1`, bindings: [siteId] });
    await removeCounts(run, counts, siteId);
    await also(run);
  });
  await file.read({ text: 'CHECKPOINT' });
}
