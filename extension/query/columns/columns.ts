// The columnar copy of a running server. It is refreshed in the background, and rebuilt if anything is wrong with it.
// `lifecycle.ts` defines its states.
import { setTimeout as pause } from 'node:timers/promises';
import { isUnavailable } from '../../../host-shim/extension-api';
import type { SiteState } from '../../language/types/resolved-query';
import type { ColumnReader } from '../column-reader';
import { type AuditOptions, startAudit } from './audit';
import { isInUse } from './column-file';
import { ColumnFileError, ColumnsUnavailable } from './column-file-error';
import {
  type ColumnsStatus,
  isRebuildRequested,
  readSavedStatus,
  statusWriter,
  type UnderWay,
} from './columns-status';
import { copyRoom } from './copy-room';
import { markWrong, removeColumnFolder, removeCopy } from './crash-marks';
import { type DifferenceOptions, foundDifferences } from './found-differences';
import {
  type Effect,
  type Fault,
  type Lifecycle,
  type LifecycleEvent,
  OPENING,
  reportOf,
  step,
} from './lifecycle';
import { type OpenCopy, type OpenCopyOptions, openCopy } from './open-copy';
import { copyReader, whyNotOf } from './read-copy';
import { copyRefresher } from './refresh-copy';
import { pruneChanges, SiteCopies } from './refresh-site';

export interface ColumnsOptions
  extends OpenCopyOptions,
    Omit<AuditOptions, 'now'>,
    Omit<DifferenceOptions, 'now'> {
  /** Size limit for the file. If not all sites fit, those that are queried most are copied. Undefined = no limit. */
  readonly maxBytes?: number | undefined;
  /** Called with what is being copied, and with undefined when copying is finished or abandoned. */
  readonly onProgress?: (underWay: UnderWay | undefined) => void;
}

export interface Columns extends ColumnReader {
  status(): Promise<ColumnsStatus>;
  /**
   * Discards the copies of these sites if they have these versions, because an answer from them was wrong. `where` describes
   * where the evidence was saved.
   */
  distrust(sites: readonly SiteState[], where: string): void;
  /** Looks for changes immediately. Resolves when they have been copied, or if they cannot be copied at the moment. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

const FAILED: Fault = { message: 'The columnar copy failed; the server will retry.', obstacle: undefined };
const WRONG: Fault = {
  message: 'The columnar copy differed from PostgreSQL, and is being rebuilt.',
  obstacle: undefined,
};
const ROUND_MS = 1_000;
const PROGRESS_MS = 100;
const MAX_STOP_MS = 3_000;
const PRUNE_MS = 3_600_000;

/** While the copy is not ready, queries are answered from rows. */
export function startColumns(options: ColumnsOptions): Columns {
  const { write, workers, log, folder } = options;
  const now = () => performance.now();
  const room = copyRoom({ maxBytes: options.maxBytes, write, workers, now });
  const differences = foundDifferences({ ...options, now });
  const audit = startAudit({ ...options, now });
  const save = statusWriter(folder);
  const stopping = new AbortController();
  const copies = new SiteCopies();
  let state: Lifecycle<OpenCopy> = OPENING;
  let rounds = Promise.resolve();
  let reportedAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;

  const { refresh, count, distrusted } = copyRefresher({
    write,
    workers,
    folder,
    room,
    copies,
    differences,
    pieceSizes: options.pieceSizes,
    signal: stopping.signal,
    isLost: () => state.kind === 'resting',
    async onProgress(underWay) {
      if (now() - reportedAt < PROGRESS_MS) return;
      await take({ kind: 'progress', progress: { underWay } });
      await report();
    },
    onCopied: (rows) =>
      void take({ kind: 'progress', progress: { rows, isCounted: false, underWay: undefined } }),
  });

  async function take(event: LifecycleEvent<OpenCopy>, error?: unknown): Promise<void> {
    const { state: next, effects } = step(state, event);
    state = next;
    for (const effect of effects) await perform(effect, error);
  }

  async function perform(effect: Effect<OpenCopy>, error: unknown): Promise<void> {
    switch (effect.do) {
      case 'close':
        copies.clear();
        return effect.copy.file.close();
      case 'remove copy':
      case 'remove folder':
        if (await isInUse(folder)) return;
        return effect.do === 'remove copy' ? removeCopy(folder) : removeColumnFolder(folder);
      case 'open':
        return open();
      case 'refresh':
        return refreshOpen();
      case 'warn':
        log.warn({ err: error }, `${reportOf(state).reason} Queries are answered from rows.`);
        return;
      case 'mark wrong':
        markWrong(folder);
    }
  }

  async function open(): Promise<void> {
    const began = now();
    // A different version of the program may have saved the status in a different format.
    const saved = await readSavedStatus(folder).catch(() => undefined);
    differences.restore(saved?.differences);
    // A file that was not closed may have lost audited rows.
    audit.restore(saved?.state === 'stopped' ? saved.auditedAt : undefined);
    const copy = await openCopy(options);
    await take({ kind: 'opened', copy, began });
    if (stopping.signal.aborted) return;
    for (const site of copy.sites) copies.set(site.siteId, site);
    await take({ kind: 'progress', progress: { rows: await room.measure(copy) } });
  }

  async function refreshOpen(): Promise<void> {
    if (state.kind !== 'ready') return;
    const { copy } = state;
    await refresh(copy);
    await take({ kind: 'refreshed', at: now() });
    if (now() - prunedAt >= PRUNE_MS) {
      prunedAt = now();
      await pruneChanges(write, workers);
    }
    await report();
    await count(copy);
    await take({ kind: 'progress', progress: { isCounted: true } });
    await report();
    const found = await audit.next(copy, (siteId) => copies.get(siteId));
    if (found !== undefined) {
      distrusted.add(found.site.siteId, 'audit', found.difference);
      if (found.isShared) await take({ kind: 'lost', ...faultNow(WRONG) });
      await distrusted.removeAll(copy);
    }
    await take({ kind: 'succeeded' });
  }

  const faultNow = (fault: Fault) => ({ at: now(), time: options.clock().toISOString(), fault });

  async function report(): Promise<void> {
    reportedAt = now();
    options.onProgress?.(reportOf(state).underWay);
    await save(await readStatus());
  }

  async function readStatus(): Promise<ColumnsStatus> {
    const bytes = state.kind === 'ready' ? await state.copy.file.bytes() : 0;
    const findings = { differences: differences.list(), auditedAt: audit.finishedAt() };
    return { ...reportOf(state), ...findings, sites: copies.list(), bytes };
  }

  function nextRound({ isRequested }: { readonly isRequested: boolean }): Promise<void> {
    rounds = rounds.then(async () => {
      if (stopping.signal.aborted) return;
      const began = now();
      try {
        await take({
          kind: 'round',
          at: began,
          isRequested,
          isRebuildRequested: await isRebuildRequested(folder),
        });
      } catch (error) {
        // The next round leaves out the sites on the worker that no longer responds.
        if (workers.places.length > 0 && isUnavailable(error)) return;
        const isOfFile = error instanceof ColumnFileError;
        const fileError = isOfFile ? (error.isFatal ? 'fatal' : 'temporary') : 'none';
        const fault = error instanceof ColumnsUnavailable ? error : FAILED;
        await take({ kind: 'failed', ms: now() - began, fileError, ...faultNow(fault) }, error);
      }
      await report();
    });
    return rounds;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await nextRound({ isRequested: false });
      await pause(ROUND_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const running = run();

  const whyNot: Columns['whyNot'] = (sites) =>
    state.kind === 'ready'
      ? whyNotOf(sites, copies, differences.whyNot, room.whyNot)
      : (reportOf(state).reason ?? 'The columnar copy is being opened.');
  const counts = () => (state.kind === 'ready' ? state.copy.counts : undefined);

  return {
    whyNot(sites) {
      room.requested(sites.map(({ siteId }) => siteId));
      return whyNot(sites);
    },
    copiesOf: (siteIds) => siteIds.flatMap((siteId) => copies.get(siteId) ?? []),
    countedUntil: (...args) => counts()?.countedUntil(...args) ?? 0,
    countedSpread: (...args) => counts()?.countedSpread(...args) ?? 0,
    visitFields: (...args) => counts()?.visitFields(...args) ?? new Set(),
    viewFields: (...args) => counts()?.viewFields(...args) ?? new Set(),
    visitReach: (...args) => counts()?.visitReach(...args) ?? 0,
    dimensionRows: (...args) => counts()?.dimensionRows(...args) ?? Number.POSITIVE_INFINITY,
    ...copyReader({
      file: () => (state.kind === 'ready' ? state.copy.file : undefined),
      onFatal: () => void take({ kind: 'lost', ...faultNow(FAILED) }),
      log,
      whyNot,
      foundWrong: distrusted.found,
    }),
    status: readStatus,
    distrust: distrusted.distrust,
    refresh: () => nextRound({ isRequested: true }),
    async stop() {
      stopping.abort();
      const last = await readStatus();
      // Closing the file also ends a round that is waiting for an unreachable database.
      await take({ kind: 'stop' });
      await Promise.race([Promise.all([running, rounds]), pause(MAX_STOP_MS, undefined, { ref: false })]);
      options.onProgress?.(undefined);
      const ended = { reason: undefined, obstacle: undefined, underWay: undefined };
      await save({ ...last, ...ended, state: 'stopped' });
    },
  };
}
