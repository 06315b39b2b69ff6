// Updates an open copy, site by site: copies changed and new sites, and removes sites that are wrong or no longer fit.
import type { Knex } from 'knex';
import { forCopy } from '../../data/storage/in-transaction';
import type { Workers } from '../../data/storage/workers';
import type { SiteState } from '../../language/types/resolved-query';
import type { Difference } from './check-copied';
import type { UnderWay } from './columns-status';
import type { CopyRoom } from './copy-room';
import { markWrong, unmarkWrong } from './crash-marks';
import type { Finder, FoundDifferences } from './found-differences';
import type { OpenCopy } from './open-copy';
import { listSites, type PresentSites, presentSites } from './present-sites';
import { refreshSite, removeSite, type SiteCopies, type SiteCopy } from './refresh-site';
import type { PieceSizes } from './site-spans';

interface RefresherOptions extends Omit<DistrustedOptions, 'removeSite'> {
  readonly write: Knex;
  readonly room: CopyRoom;
  readonly copies: SiteCopies;
  readonly pieceSizes?: PieceSizes | undefined;
  readonly signal: AbortSignal;
  /** Called before each piece is copied. */
  onProgress(underWay: UnderWay): Promise<void>;
  /** Called with the total number of rows after the rows of a site have changed. */
  onCopied(rows: number): void;
}

interface Work {
  readonly copy: OpenCopy;
  readonly present: PresentSites;
  readonly behind: Set<number>;
  readonly uncounted: Set<number>;
}

export function copyRefresher(options: RefresherOptions) {
  const { write, workers, room, copies, differences, pieceSizes, signal, onProgress, onCopied } = options;
  const distrusted = distrustedSites({ ...options, removeSite: removeOne });

  let work: Work | undefined;
  const workOn = (copy: OpenCopy): Work => {
    if (work?.copy !== copy) {
      const [behind, uncounted] = [new Set(copies.keys()), new Set(copies.keys())];
      work = { copy, present: presentSites(write, workers), behind, uncounted };
    }
    return work;
  };

  async function removeOne(copy: OpenCopy, siteId: number): Promise<void> {
    await removeSite({ ...copy, siteId });
    copies.delete(siteId);
    workOn(copy).behind.add(siteId);
    await copy.counts.reload([siteId]);
    onCopied(await room.measure(copy));
  }

  async function refreshOne(copy: OpenCopy, siteId: number, trackingId: string): Promise<void> {
    const { file, tables, shared, counts } = copy;
    const copied = await differences.copying({ siteId, trackingId }, () =>
      forCopy(
        write,
        (client) =>
          refreshSite({
            file,
            client,
            tables,
            shared,
            siteId,
            counts,
            known: copies.get(siteId),
            signal,
            pieceSizes,
            onProgress: (progress) => onProgress({ trackingId, ...progress }),
          }),
        workers.guard([siteId]),
      ),
    );
    await counts.reload([siteId]);
    workOn(copy).uncounted.add(siteId);
    if (copied !== undefined && !distrusted.has(siteId)) copies.set(siteId, copied);
    onCopied(await room.measure(copy));
  }

  async function refresh(copy: OpenCopy): Promise<void> {
    await distrusted.removeAll(copy);
    const { present, behind } = workOn(copy);
    for (const siteId of await present.look()) behind.add(siteId);
    for (const siteId of behind) {
      const site = present.get(siteId);
      if (site === undefined && copies.has(siteId)) {
        await refreshOne(copy, siteId, `site ${siteId}`);
        copies.delete(siteId);
      }
      if (copies.get(siteId)?.version === site?.version) behind.delete(siteId);
    }
    for (const site of room.inOrder([...behind].flatMap((siteId) => present.get(siteId) ?? []))) {
      if (signal.aborted) return;
      const { siteId } = site;
      if (differences.isLeft(siteId) || distrusted.has(siteId) || workers.isAway(siteId)) continue;
      const leavers = copies.has(site.siteId) ? [] : await room.sitesToEvictFor(copy, site);
      for (const leaver of leavers ?? []) await removeOne(copy, leaver);
      if (leavers !== undefined) await refreshOne(copy, site.siteId, site.trackingId);
    }
    for (const leaver of room.sitesToEvict()) await removeOne(copy, leaver);
  }

  return {
    distrusted,
    refresh,
    /** Counts distinct values in advance, in pieces, and refreshes the copy between pieces. */
    async count(copy: OpenCopy) {
      const { uncounted } = workOn(copy);
      // Copying changed rows has priority.
      while (await copy.counts.countNext([...uncounted].filter((siteId) => copies.has(siteId))))
        await refresh(copy);
      uncounted.clear();
    },
  };
}

interface DistrustedOptions {
  readonly write: Knex;
  readonly workers: Workers;
  readonly folder: string;
  readonly copies: Map<number, SiteCopy>;
  readonly differences: FoundDifferences;
  removeSite(copy: OpenCopy, siteId: number): Promise<void>;
  /** Whether the whole copy will be discarded. If so, the mark that the copy is wrong must stay. */
  isLost(): boolean;
}

export function distrustedSites(options: DistrustedOptions) {
  const { write, workers, folder, copies, differences, removeSite, isLost } = options;
  const waiting = new Map<number, { foundBy: Finder; difference: Difference; isReported: boolean }>();
  let found = 0;

  function add(siteId: number, foundBy: Finder, difference: Difference): void {
    found += 1;
    copies.delete(siteId);
    waiting.set(siteId, { foundBy, difference, isReported: false });
    markWrong(folder);
  }

  return {
    add,
    has: (siteId: number) => waiting.has(siteId),
    found: () => found,
    distrust(sites: readonly SiteState[], where: string) {
      for (const { siteId, version } of sites)
        if (copies.get(siteId)?.version === version) add(siteId, 'shadow', answerDiffers(where));
    },
    /** Reports the differences found since the last call, and removes the copies of the affected sites. */
    async removeAll(copy: OpenCopy) {
      if (waiting.size === 0) return;
      // The wrong rows may be in tables that all sites share.
      copy.shared.clear();
      for (const [siteId, found] of [...waiting]) {
        const [{ trackingId } = { trackingId: `site ${siteId}` }] = await listSites(write, workers, siteId);
        if (!found.isReported) differences.add(found.foundBy, { siteId, trackingId }, found.difference);
        waiting.set(siteId, { ...found, isReported: true });
        await removeSite(copy, siteId);
        waiting.delete(siteId);
      }
      if (waiting.size === 0 && !isLost()) unmarkWrong(folder);
    },
  };
}

/** A difference in an answer, for which the table and columns are unknown. */
const answerDiffers = (where: string): Difference => ({ table: 'an answer', span: where, columns: ['rows'] });
