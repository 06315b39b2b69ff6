// The column copy while the server runs: opened, kept as new as PostgreSQL in the background, read by queries, and thrown
// away and made again when anything is wrong with it.
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Log } from '../../host-shim/extension-api';
import type { Manifest } from '../../manifests/reader/manifest';
import type { Row } from '../qal/types/compiled-query';
import { inTransaction } from '../storage/in-transaction';
import {
  type ColumnFileOptions,
  type ColumnStatement,
  ColumnsUnavailable,
  removeColumnFile,
} from './column-file';
import { type OpenCopy, openCopy } from './open-copy';
import { CHANGES_KEPT_SECONDS, refreshSite, type SiteCopy } from './refresh-site';

export interface ColumnsOptions extends ColumnFileOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly log: Log;
}

const statusSchema = z.object({
  state: z.enum(['opening', 'ready', 'unavailable', 'stopped']),
  /** Why it is unavailable, as a sentence. */
  reason: z.string().optional(),
  sites: z.array(
    z.object({ siteId: z.number(), version: z.number(), snapshot: z.string(), copiedAt: z.number() }),
  ),
  /** On disk. */
  bytes: z.number(),
  /** What is being copied: `page_view of site 3`. */
  underWay: z.string().optional(),
});
export type ColumnsStatus = z.infer<typeof statusSchema>;

/** What the server that uses a folder last wrote of its copy; undefined where there is none. */
export async function readSavedStatus(folder: string): Promise<ColumnsStatus | undefined> {
  const text = await readFile(join(folder, STATUS_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : statusSchema.parse(JSON.parse(text));
}

export interface Columns {
  /** The data version of a site's copy; undefined without one, and while another version is being committed. */
  versionOf(siteId: number): number | undefined;
  /**
   * The rows of a statement; undefined when a site's version changed while it ran. Rejects with the signal's reason when
   * it is aborted, otherwise with DuckDB's error.
   */
  read(statement: ColumnStatement, signal: AbortSignal): Promise<readonly Row[] | undefined>;
  status(): Promise<ColumnsStatus>;
  /** Looks for changes now, and resolves when they are in the copy, or cannot be for the moment. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

const ROUND_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const LONGEST_STOP_MS = 3_000;
const PRUNE_MS = 3_600_000;
/** A file of this name in the copy's folder asks for a new copy. */
export const REBUILD_REQUEST = 'rebuild';

/** The status of a running server's copy, for the command line. */
const STATUS_FILE = 'status.json';

const siteRows = z.array(z.object({ site_id: z.number(), data_version: z.coerce.number() }));

/** Starts the copy in the background. Until it is there, and whenever it cannot be, queries are answered from rows. */
export function startColumns(options: ColumnsOptions): Columns {
  const { write, log, folder } = options;
  const stopping = new AbortController();
  const copies = new Map<number, SiteCopy>();
  let status: Omit<ColumnsStatus, 'sites' | 'bytes'> = {
    state: 'opening',
    reason: undefined,
    underWay: undefined,
  };
  let copy: OpenCopy | undefined;
  // Grows right before a version changes: a read that sees it grow cannot tell what it read.
  let changes = 0;
  let failures = 0;
  let prunedAt = Number.NEGATIVE_INFINITY;
  let savedStatus = '';
  let rounds = Promise.resolve();

  async function round(): Promise<void> {
    if (await exists(join(folder, REBUILD_REQUEST))) await discard();
    if (copy === undefined) {
      copy = await openCopy(options);
      for (const site of copy.sites) copies.set(site.siteId, site);
    }
    status = { state: 'ready', reason: undefined, underWay: undefined };
    const present = siteRows.parse(await write.from('analytics.site').select('site_id', 'data_version'));
    for (const { site_id: siteId, data_version: version } of present) {
      if (stopping.signal.aborted) return;
      if (copies.get(siteId)?.version !== version) await refreshOne(copy, siteId);
    }
    for (const siteId of [...copies.keys()]) {
      if (!present.some((site) => site.site_id === siteId)) await refreshOne(copy, siteId);
    }
    await prune();
    await saveStatus();
  }

  async function saveStatus(): Promise<void> {
    const text = JSON.stringify(await readStatus());
    if (text === savedStatus) return;
    await writeFile(join(folder, STATUS_FILE), text);
    savedStatus = text;
  }

  async function readStatus(): Promise<ColumnsStatus> {
    const bytes = (await copy?.file.bytes()) ?? 0;
    return { ...status, sites: [...copies.values()], bytes };
  }

  async function refreshOne({ file, tables }: OpenCopy, siteId: number): Promise<void> {
    const made = await inTransaction(write, (client) =>
      refreshSite({
        ...{ file, client, tables, siteId, known: copies.get(siteId), signal: stopping.signal },
        onProgress: (table) => {
          status = { ...status, underWay: `${table} of site ${siteId}` };
        },
        beforeCommit: () => {
          changes += 1;
          copies.delete(siteId);
        },
      }),
    );
    if (made !== undefined) copies.set(siteId, made);
    status = { ...status, underWay: undefined };
  }

  async function prune(): Promise<void> {
    if (performance.now() - prunedAt < PRUNE_MS) return;
    prunedAt = performance.now();
    await write.raw(`DELETE FROM analytics.change WHERE changed_at < now() - make_interval(secs => ?)`, [
      CHANGES_KEPT_SECONDS,
    ]);
  }

  function close(): void {
    changes += 1;
    copies.clear();
    copy?.file.close();
    copy = undefined;
  }

  async function discard(): Promise<void> {
    close();
    await removeColumnFile(folder);
  }

  /** A round that fails is told once and tried again; a second failure of the copy's own makes a new copy. */
  async function tryRound(): Promise<void> {
    try {
      await round();
      failures = 0;
    } catch (error) {
      close();
      if (stopping.signal.aborted) return;
      failures += 1;
      const reason =
        error instanceof ColumnsUnavailable ? error.message : 'The column copy failed, and is tried again.';
      if (failures === 1) log.warn({ err: error }, `${reason} Queries are answered from rows.`);
      status = { state: 'unavailable', reason, underWay: undefined };
      const isOfCopy = !(error instanceof ColumnsUnavailable) && !(error instanceof Error && 'code' in error);
      if (failures > 1 && isOfCopy) await removeColumnFile(folder).catch(() => {});
    }
  }

  const nextRound = (): Promise<void> => {
    rounds = rounds.then(tryRound);
    return rounds;
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await nextRound();
      const ms = Math.min(ROUND_MS * 2 ** failures, LONGEST_PAUSE_MS);
      await pause(ms, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const running = run();

  return {
    versionOf: (siteId) => copies.get(siteId)?.version,
    async read(statement, signal) {
      if (copy === undefined) return undefined;
      const before = changes;
      const rows = await copy.file.read(statement, signal);
      return changes === before ? rows : undefined;
    },
    status: readStatus,
    refresh: nextRound,
    async stop() {
      stopping.abort();
      // A round may hang on a database that is gone.
      await Promise.race([Promise.all([running, rounds]), pause(LONGEST_STOP_MS, undefined, { ref: false })]);
      close();
      status = { state: 'stopped', reason: undefined, underWay: undefined };
    },
  };
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
