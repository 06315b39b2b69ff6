// Sites of which an answer differed from rows: rows answer from then on, and the copies are thrown away in the next round.
import type { Knex } from 'knex';
import type { AuditFinding } from './audit';
import type { Columns } from './column-copy';
import { listSites, type SiteCopy } from './refresh-site';

export interface DistrustedSites extends Pick<Columns, 'distrust'> {
  /** Those that were added since the last call, as far as they still exist. */
  take(write: Knex): Promise<readonly AuditFinding[]>;
}

export function distrustedSites(copies: Map<number, SiteCopy>): DistrustedSites {
  const waiting = new Map<number, string>();
  return {
    distrust(sites, where) {
      for (const { siteId, version } of sites) {
        if (copies.get(siteId)?.version !== version) continue;
        copies.delete(siteId);
        waiting.set(siteId, where);
      }
    },
    async take(write) {
      if (waiting.size === 0) return [];
      const taken = new Map(waiting);
      waiting.clear();
      return (await listSites(write)).flatMap((site) => {
        const where = taken.get(site.siteId);
        return where === undefined ? [] : [{ site, isShared: false, difference: answerDiffers(where) }];
      });
    },
  };
}

/** An answer has no table or columns to blame. */
const answerDiffers = (where: string) => ({ table: 'an answer', span: where, columns: ['rows'] });
