// Brings an open copy up to date, site by site: those that changed, those that it should have, and those that were found wrong.
import type { Knex } from 'knex';
import { inTransaction } from '../../data/storage/in-transaction';
import type { UnderWay } from './columns-status';
import type { CopyRoom } from './copy-room';
import { type DistrustedOptions, type DistrustedSites, distrustedSites } from './distrusted-sites';
import type { OpenCopy } from './open-copy';
import { listSites, refreshSite, removeSite, type SiteCopy, sitesToRefresh } from './refresh-site';
import type { PieceSizes } from './site-spans';

export interface RefresherOptions extends Omit<DistrustedOptions, 'removeSite'> {
  readonly write: Knex;
  readonly room: CopyRoom;
  /** What the copy has of each site. */
  readonly copies: Map<number, SiteCopy>;
  readonly pieceSizes?: PieceSizes | undefined;
  readonly signal: AbortSignal;
  /** Called before each piece. */
  onProgress(underWay: UnderWay): Promise<void>;
  /** Called after the rows of a site have changed, with the number of all rows. */
  onCopied(rows: number): void;
}

export interface Refresher {
  readonly distrusted: DistrustedSites;
  refresh(copy: OpenCopy): Promise<void>;
}

export function copyRefresher(options: RefresherOptions): Refresher {
  const { write, room, copies, differences, pieceSizes, signal, onProgress, onCopied } = options;
  const distrusted = distrustedSites({ ...options, removeSite: removeOne });

  async function removeOne(copy: OpenCopy, siteId: number): Promise<void> {
    await removeSite({ ...copy, counts: copy.counts.tables, siteId });
    copies.delete(siteId);
    await copy.counts.reload([siteId]);
    onCopied(await room.measure(copy));
  }

  async function refreshOne(copy: OpenCopy, siteId: number, trackingId: string): Promise<void> {
    const { file, tables, shared, counts } = copy;
    const made = await differences.copying({ siteId, trackingId }, () =>
      inTransaction(write, (client) =>
        refreshSite({
          ...{ file, client, tables, shared, siteId, counts: counts.tables },
          ...{ known: copies.get(siteId), signal, pieceSizes },
          onProgress: (progress) => onProgress({ trackingId, ...progress }),
        }),
      ),
    );
    await counts.reload([siteId]);
    if (made !== undefined && !distrusted.has(siteId)) copies.set(siteId, made);
    onCopied(await room.measure(copy));
  }

  return {
    distrusted,
    async refresh(copy) {
      await distrusted.removeAll(copy);
      const { gone, behind } = sitesToRefresh(await listSites(write), copies);
      for (const siteId of gone) {
        await refreshOne(copy, siteId, `site ${siteId}`);
        copies.delete(siteId);
      }
      for (const site of room.inOrder(behind)) {
        if (signal.aborted) return;
        if (differences.isLeft(site.siteId) || distrusted.has(site.siteId)) continue;
        const leavers = copies.has(site.siteId) ? [] : await room.leaversFor(copy, site);
        for (const leaver of leavers ?? []) await removeOne(copy, leaver);
        if (leavers !== undefined) await refreshOne(copy, site.siteId, site.trackingId);
      }
      for (const leaver of room.leaversOfGrowth()) await removeOne(copy, leaver);
    },
  };
}
