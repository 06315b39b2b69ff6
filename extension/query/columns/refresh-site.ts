// Updates the copy of one site, from a snapshot in PostgreSQL, in one transaction in DuckDB.
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { z } from 'zod';
import { forCopy } from '../../data/storage/in-transaction';
import type { Workers } from '../../data/storage/workers';
import { CopyDiffers, ROWS } from './check-copied';
import type { ColumnFile } from './column-file';
import { ColumnFileError } from './column-file-error';
import type { UnderWay } from './columns-status';
import { inCopy, removal, rowsOfSite } from './compared-rows';
import { type CopiedTable, isShared } from './copied-tables';
import { type CopyContext, copyShared, copySpan } from './copy-rows';
import type { KeptCounts } from './open-counts';
import { COPIED_PIECES, findSpans, type PieceSizes, type SiteSpans } from './site-spans';
import { forgetCounts, removeCounts } from './unique-counts';

export interface SiteCopy {
  readonly siteId: number;
  /** The token of the site's data version. */
  readonly version: string;
  /** The number of that version. It is unique only within one history. */
  readonly number: number;
  /** Epoch seconds on PostgreSQL's clock, for display. */
  readonly copiedAt: number;
}

interface RefreshOptions {
  readonly file: ColumnFile;
  /** A connection in a transaction that has not run any statements yet. */
  readonly client: Client;
  readonly tables: readonly CopiedTable[];
  /** Digests of the shared tables in the copy, which are updated here. Only tables whose digest differs are copied. */
  readonly shared: Map<string, string>;
  readonly counts: Pick<KeptCounts, 'tables' | 'derived'>;
  readonly siteId: number;
  /** Undefined if the site is not in the copy yet. */
  readonly known: SiteCopy | undefined;
  readonly pieceSizes?: PieceSizes | undefined;
  readonly signal: AbortSignal;
  /** Called before each piece is copied. */
  readonly onProgress: (progress: RefreshProgress) => Promise<void>;
}

type RefreshProgress = Pick<UnderWay, 'table' | 'rows' | 'of'>;

/** If a copy is more than this many versions behind, all rows are copied again. */
const VERSIONS_KEPT = 1_000;
const DAY = 86_400;

const presentRow = z.object({ version: z.string(), number: z.coerce.number(), now: z.number() });

/** Deletes the recorded changes of old versions. Compares version numbers rather than times, because a clock may be reset. */
export async function pruneChanges(write: Knex, { reachable, guard }: Workers): Promise<void> {
  await forCopy(
    write,
    (client) =>
      client.query(
        `DELETE FROM analytics.change c WHERE ($2::int[] IS NULL OR c.site_id = ANY($2)) AND NOT EXISTS (
           SELECT FROM analytics.site_version v WHERE v.site_id = c.site_id AND c.data_version > v.data_version - $1)`,
        [VERSIONS_KEPT, reachable],
      ),
    guard('reachable'),
  );
}

/** Copies the changes since the last copy, or the whole site. If the site has been removed, removes its copy and returns undefined. */
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
  if (present === undefined) await removeSite(options, copyAllShared);
  else {
    const { version, number, now: copiedAt } = present;
    const spans = await findSpans(client, tables, siteId, known, present, pieceSizes);
    await file.write(async (run) => {
      await copyAllShared(run);
      await copyRows(options, contextOf(run), spans);
      await run({ text: 'DELETE FROM copied_site WHERE site_id = $1', bindings: [siteId] });
      await run({
        text: 'INSERT INTO copied_site VALUES ($1, $2, $3, $4)',
        bindings: [siteId, version, number, copiedAt],
      });
    });
  }
  for (const [name, digest] of copied) shared.set(name, digest);
  return present && { siteId, version: present.version, number: present.number, copiedAt: present.now };
}

async function copyRows(
  { tables, counts, siteId, signal, onProgress }: RefreshOptions,
  context: CopyContext,
  { stored, spansIn }: SiteSpans,
): Promise<void> {
  let rows = 0;
  const siteTables = tables.filter((table) => !isShared(table));
  // New sites are also checked, because any leftover rows outside the spans would remain.
  const old = stored && (await countCopied(context.run, siteTables, siteId));
  const forget = async ({ name }: CopiedTable, from: number) => {
    const affected = counts.derived.filter(({ source, changedBy = [source] }) => changedBy.includes(name));
    for (const source of new Set(affected.map((it) => it.source)))
      await forgetCounts(context.run, source, siteId, from);
  };
  for (const table of siteTables) {
    if (old !== undefined) {
      if (old.get(table.name) !== 0) await context.run(removal(rowsOfSite(table, siteId, undefined)));
      await forget(table, 0);
    }
    for (const span of await spansIn(table)) {
      signal.throwIfAborted();
      await onProgress({ table: table.name, rows, of: stored?.all });
      rows += await copySpan(context, table, siteId, span, old !== undefined);
      if (span !== undefined) await forget(table, span.low * DAY);
    }
  }
  if (stored === undefined) return;
  // Finds rows outside the spans; those inside were compared span by span.
  for (const [table, count] of await countCopied(context.run, siteTables, siteId))
    if (count !== stored.byTable.get(table))
      throw new CopyDiffers({ table, span: 'all rows', columns: [ROWS] });
}

/** Returns the number of a site's copied rows in each table. */
async function countCopied(
  run: CopyContext['run'],
  tables: readonly CopiedTable[],
  siteId: number,
): Promise<ReadonlyMap<string, number>> {
  // DuckDB plans this in half the time that a single row of subqueries takes.
  const counts = tables.map(
    (table) => `SELECT '${table.name}', count(*) FROM ${inCopy(table)} WHERE site_id = $1`,
  );
  const rows = await run({ text: counts.join(' UNION ALL '), bindings: [siteId] });
  return new Map(rows.map(([name, count]) => [String(name), Number(count)]));
}

/** Removes a site from the copy and, if possible, frees its space. `also` runs in the same transaction. */
export async function removeSite(
  from: Pick<RefreshOptions, 'file' | 'tables' | 'counts' | 'siteId'>,
  also: (run: CopyContext['run']) => Promise<void> = async () => {},
): Promise<void> {
  const { file, tables, counts, siteId } = from;
  await file.write(async (run) => {
    const rows = tables.filter((table) => !isShared(table)).map(({ name }) => `analytics.${name}`);
    for (const table of [...rows, 'copied_site'])
      await run({ text: `DELETE FROM ${table} WHERE site_id = $1`, bindings: [siteId] });
    await removeCounts(run, counts.tables, siteId);
    await also(run);
  });
  await file.read({ text: 'CHECKPOINT' }).catch((error) => {
    // DuckDB rejects a checkpoint while a read from before the update is still running. A later checkpoint will free the space.
    if (!(error instanceof ColumnFileError) || error.kind !== 'TransactionContext Error') throw error;
  });
}

export class SiteCopies extends Map<number, SiteCopy> {
  #list: readonly SiteCopy[] | undefined;

  /** Returns the same array until something changes. */
  list(): readonly SiteCopy[] {
    this.#list ??= [...this.values()];
    return this.#list;
  }

  override set(siteId: number, copy: SiteCopy): this {
    this.#list = undefined;
    return super.set(siteId, copy);
  }

  override delete(siteId: number): boolean {
    this.#list = undefined;
    return super.delete(siteId);
  }

  override clear(): void {
    this.#list = undefined;
    super.clear();
  }
}
