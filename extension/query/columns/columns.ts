// The column copy while the server runs: opened, kept as new as PostgreSQL in the background, read by queries, and thrown
// away and made again when anything is wrong with it.
import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '../../data/storage/in-transaction';
import { startAudit } from './audit';
import type { Columns, ColumnsOptions } from './column-copy';
import { isInUse } from './column-file';
import { ColumnFileError, ColumnsUnavailable } from './column-file-error';
import {
  type ColumnsStatus,
  isRebuildAsked,
  readSavedStatus,
  statusWriter,
  type UnderWay,
} from './columns-status';
import { copyRoom } from './copy-room';
import { markWrong, removeColumnFolder, removeCopy } from './crash-marks';
import { distrustedSites } from './distrusted-sites';
import { foundDifferences } from './found-differences';
import { type OpenCopy, openCopy } from './open-copy';
import { copyReader, whyNotOf } from './read-copy';
import { readFailures } from './read-failures';
import {
  listSites,
  pruneChanges,
  refreshSite,
  removeSite,
  type SiteCopy,
  sitesToRefresh,
} from './refresh-site';
import { atMostEvery, restAfterFault } from './rest-after-fault';

export type { Columns, ColumnsOptions } from './column-copy';

const FAILED = { message: 'The column copy failed, and is tried again.', obstacle: undefined };
const ROUND_MS = 1_000;
const PROGRESS_MS = 100;
const LONGEST_STOP_MS = 3_000;
const PRUNE_MS = 3_600_000;

/** Starts the copy in the background. Until it is there, and whenever it cannot be, queries are answered from rows. */
export function startColumns(options: ColumnsOptions): Columns {
  const { write, log, folder } = options;
  const now = () => performance.now();
  const room = copyRoom({ mostBytes: options.mostBytes, write, now });
  const differences = foundDifferences({ ...options, now });
  const audit = startAudit({ ...options, now });
  const stopping = new AbortController();
  const copies = new Map<number, SiteCopy>();
  const distrusted = distrustedSites({
    ...{ write, folder, copies, differences, removeSite: removeOne, isLost: () => mustRebuild },
  });
  let status: Pick<ColumnsStatus, 'state' | 'reason' | 'obstacle' | 'underWay'> = { state: 'opening' };
  let lastFault: ColumnsStatus['lastFault'];
  let rows = 0;
  let isCounted = false;
  let copy: OpenCopy | undefined;
  const rest = restAfterFault(now);
  let mustRebuild = false;
  const prune = atMostEvery(PRUNE_MS, now, () => pruneChanges(write));
  const save = statusWriter(folder);
  let rounds = Promise.resolve();
  let toldAt = Number.NEGATIVE_INFINITY;

  async function round(): Promise<void> {
    const began = now();
    const isAsked = await isRebuildAsked(folder);
    if (mustRebuild || isAsked) await discard(isAsked ? removeColumnFolder : removeCopy);
    const isOpened = copy === undefined;
    if (copy === undefined) {
      // That of another version of the program may have another form.
      const saved = await readSavedStatus(folder).catch(() => undefined);
      differences.restore(saved?.differences);
      // A file that was not closed may have lost what was written.
      audit.restore(saved?.state === 'stopped' ? saved.auditedAt : undefined);
      copy = await openCopy(options);
      if (stopping.signal.aborted) return close();
      for (const site of copy.sites) copies.set(site.siteId, site);
      rows = await room.measure(copy);
    }
    status = { state: 'ready' };
    await refreshSites(copy);
    if (isOpened) rest.filled(now() - began);
    await prune();
    await tell(undefined);
    // The rows of every change come first.
    while (await copy.counts.countNext([...copies.keys()])) await refreshSites(copy);
    if (!isCounted) {
      isCounted = true;
      await tell(undefined);
    }
    const found = await audit.next(copy, (siteId) => copies.get(siteId));
    if (found === undefined) return;
    distrusted.add(found.site.siteId, 'audit', found.difference);
    if (found.isShared) loseCopy();
    await distrusted.removeAll(copy);
  }

  async function refreshSites(copy: OpenCopy): Promise<void> {
    await distrusted.removeAll(copy);
    const { gone, behind } = sitesToRefresh(await listSites(write), copies);
    for (const siteId of gone) {
      await refreshOne(copy, siteId, `site ${siteId}`);
      copies.delete(siteId);
    }
    for (const site of room.inOrder(behind)) {
      if (stopping.signal.aborted) return;
      if (differences.isLeft(site.siteId) || distrusted.has(site.siteId)) continue;
      const leavers = copies.has(site.siteId) ? [] : await room.leaversFor(copy, site);
      for (const leaver of leavers ?? []) await removeOne(copy, leaver);
      if (leavers !== undefined) await refreshOne(copy, site.siteId, site.trackingId);
    }
    for (const leaver of room.leaversOfGrowth()) await removeOne(copy, leaver);
  }

  async function removeOne(open: OpenCopy, siteId: number): Promise<void> {
    await removeSite({ ...open, counts: open.counts.tables, siteId });
    copies.delete(siteId);
    await open.counts.reload([siteId]);
    rows = await room.measure(open);
  }

  async function tell(underWay: UnderWay | undefined): Promise<void> {
    toldAt = now();
    status = { ...status, underWay };
    options.onProgress?.(underWay);
    await save(await readStatus());
  }

  async function readStatus(): Promise<ColumnsStatus> {
    const bytes = (await copy?.file.bytes()) ?? 0;
    const proof = { differences: differences.list(), auditedAt: audit.finishedAt() };
    return { ...status, ...proof, sites: [...copies.values()], bytes, rows, isCounted, lastFault };
  }

  async function refreshOne(open: OpenCopy, siteId: number, trackingId: string): Promise<void> {
    const { file, tables, shared, counts } = open;
    isCounted = false;
    const made = await differences.copying({ siteId, trackingId }, () =>
      inTransaction(write, (client) =>
        refreshSite({
          ...{ file, client, tables, shared, siteId, counts: counts.tables },
          ...{ known: copies.get(siteId), signal: stopping.signal, pieceSizes: options.pieceSizes },
          async onProgress(progress) {
            if (now() - toldAt >= PROGRESS_MS) await tell({ trackingId, ...progress });
          },
        }),
      ),
    );
    await counts.reload([siteId]);
    if (made !== undefined && !distrusted.has(siteId)) copies.set(siteId, made);
    rows = await room.measure(open);
    status = { ...status, underWay: undefined };
  }

  async function close(): Promise<void> {
    const closing = copy;
    copy = undefined;
    copies.clear();
    await closing?.file.close();
  }

  async function discard(remove: (folder: string) => Promise<void>): Promise<void> {
    await close();
    if (!(await isInUse(folder))) await remove(folder);
    mustRebuild = false;
  }

  /** A round that fails is told once and tried again. What DuckDB refuses twice, or says is damaged, is made anew. */
  async function tryRound(): Promise<void> {
    const began = now();
    try {
      await round();
      rest.succeeded();
    } catch (error) {
      await close();
      if (stopping.signal.aborted) return;
      const failures = rest.failed(now() - began);
      const fault = error instanceof ColumnsUnavailable ? error : FAILED;
      if (failures === 1) log.warn({ err: error }, `${fault.message} Queries are answered from rows.`);
      noteFault(fault);
      if (error instanceof ColumnFileError && (error.isFatal || failures > 1)) loseCopy();
    }
  }

  function noteFault({ message: reason, obstacle }: Pick<ColumnsUnavailable, 'message' | 'obstacle'>): void {
    status = { state: 'unavailable', reason, obstacle };
    lastFault = { at: options.clock().toISOString(), reason };
  }

  function loseCopy(): void {
    if (!mustRebuild) rest.lost();
    mustRebuild = true;
    markWrong(folder);
  }

  function whyNot(sites: Parameters<Columns['whyNot']>[0]): string | undefined {
    if (copy === undefined || mustRebuild) return status.reason ?? 'The column copy is being opened.';
    return whyNotOf(sites, copies, (siteId) => differences.whyNot(siteId), room.whyNot);
  }

  const gaveUp = readFailures(log, () => {
    noteFault(FAILED);
    loseCopy();
  });

  function nextRound({ isAsked }: { readonly isAsked: boolean }): Promise<void> {
    rounds = rounds.then(async () => {
      if (stopping.signal.aborted) return;
      if (mustRebuild) await close();
      if (isAsked || rest.isOver() || (await isRebuildAsked(folder))) await tryRound();
      await tell(undefined);
    });
    return rounds;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await nextRound({ isAsked: false });
      await pause(ROUND_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const running = run();

  return {
    whyNot(sites) {
      room.asked(sites.map(({ siteId }) => siteId));
      return whyNot(sites);
    },
    countedUntil: (counts, siteIds) => copy?.counts.until(counts, siteIds) ?? 0,
    ...copyReader({
      file: () => (mustRebuild ? undefined : copy?.file),
      copyOf: (siteId) => copies.get(siteId),
      ...{ whyNot, gaveUp, foundWrong: distrusted.found },
    }),
    status: readStatus,
    distrust: distrusted.distrust,
    refresh: () => nextRound({ isAsked: true }),
    async stop() {
      stopping.abort();
      const last = await readStatus();
      // Closing ends a round that hangs on a database that is gone.
      await close();
      await Promise.race([Promise.all([running, rounds]), pause(LONGEST_STOP_MS, undefined, { ref: false })]);
      status = { state: 'stopped' };
      options.onProgress?.(undefined);
      await save({ ...last, ...status, reason: undefined, obstacle: undefined, underWay: undefined });
    },
  };
}
