// Sites whose copy is wrong. Their queries are answered from rows until the copy is removed, even if that fails or the process ends.
import type { Knex } from 'knex';
import type { SiteState } from '../../language/types/resolved-query';
import type { Difference } from './check-copied';
import { markWrong, unmarkWrong } from './crash-marks';
import type { Finder, FoundDifferences } from './found-differences';
import type { OpenCopy } from './open-copy';
import { listSites } from './present-sites';
import type { SiteCopy } from './refresh-site';

export interface DistrustedOptions {
  readonly write: Knex;
  readonly folder: string;
  readonly copies: Map<number, SiteCopy>;
  readonly differences: FoundDifferences;
  removeSite(copy: OpenCopy, siteId: number): Promise<void>;
  /** Whether the whole copy will be discarded, so that its mark must stay. */
  isLost(): boolean;
}

export function distrustedSites(options: DistrustedOptions) {
  const { write, folder, copies, differences, removeSite, isLost } = options;
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
    /** Reports the differences since the last call, and removes those copies. */
    async removeAll(copy: OpenCopy) {
      if (waiting.size === 0) return;
      // The wrong rows may be in tables that all sites share.
      copy.shared.clear();
      for (const [siteId, found] of [...waiting]) {
        const [{ trackingId } = { trackingId: `site ${siteId}` }] = await listSites(write, siteId);
        if (!found.isReported) differences.add(found.foundBy, { siteId, trackingId }, found.difference);
        waiting.set(siteId, { ...found, isReported: true });
        await removeSite(copy, siteId);
        waiting.delete(siteId);
      }
      if (waiting.size === 0 && !isLost()) unmarkWrong(folder);
    },
  };
}

/** It is not known which table or columns made the answer differ. */
const answerDiffers = (where: string): Difference => ({ table: 'an answer', span: where, columns: ['rows'] });
