// Sites of which the copy is wrong: rows answer until their copies are removed, also where that fails or the process ends before.
import type { Knex } from 'knex';
import type { Difference } from './check-copied';
import type { Columns } from './column-copy';
import { markWrong, unmarkWrong } from './crash-marks';
import type { Finder, FoundDifferences } from './found-differences';
import type { OpenCopy } from './open-copy';
import { listSites } from './present-sites';
import type { SiteCopy } from './refresh-site';

export interface DistrustedSites extends Pick<Columns, 'distrust'> {
  add(siteId: number, foundBy: Finder, difference: Difference): void;
  /** Whether the copy of the site is not removed yet. */
  has(siteId: number): boolean;
  /** How often the copy of a site was found wrong. */
  found(): number;
  /** Reports what was found since the last call, and removes those copies. */
  removeAll(copy: OpenCopy): Promise<void>;
}

export interface DistrustedOptions {
  readonly write: Knex;
  readonly folder: string;
  readonly copies: Map<number, SiteCopy>;
  readonly differences: FoundDifferences;
  removeSite(copy: OpenCopy, siteId: number): Promise<void>;
  /** Whether the whole copy is to be thrown away, whose mark stays. */
  isLost(): boolean;
}

interface Waiting {
  readonly foundBy: Finder;
  readonly difference: Difference;
  readonly isReported: boolean;
}

export function distrustedSites(options: DistrustedOptions): DistrustedSites {
  const { write, folder, copies, differences, removeSite, isLost } = options;
  const waiting = new Map<number, Waiting>();
  let found = 0;

  function add(siteId: number, foundBy: Finder, difference: Difference): void {
    found += 1;
    copies.delete(siteId);
    waiting.set(siteId, { foundBy, difference, isReported: false });
    markWrong(folder);
  }

  return {
    add,
    has: (siteId) => waiting.has(siteId),
    found: () => found,
    distrust(sites, where) {
      for (const { siteId, version } of sites)
        if (copies.get(siteId)?.version === version) add(siteId, 'shadow', answerDiffers(where));
    },
    async removeAll(copy) {
      if (waiting.size === 0) return;
      // It is not known which rows were wrong, and texts that all sites share are among them.
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

/** An answer has no table or columns to blame. */
const answerDiffers = (where: string): Difference => ({ table: 'an answer', span: where, columns: ['rows'] });
