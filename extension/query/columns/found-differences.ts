// What was found to differ between the copy and PostgreSQL: shown to operators, and of which sites rows answer until it is equal.
import { z } from 'zod';
import type { Clock, Log } from '../../../host-shim/extension-api';
import { CopyDiffers, type Difference, differenceInWords } from './check-copied';

/** While rows were copied, by the audit of a copy that was in use, or by asking an answer again from rows. */
const FINDERS = ['copying', 'audit', 'shadow'] as const;
export type Finder = (typeof FINDERS)[number];

export const foundDifference = z.object({
  at: z.iso.datetime(),
  foundBy: z.enum(FINDERS),
  siteId: z.number(),
  trackingId: z.string(),
  table: z.string(),
  span: z.string(),
  columns: z.array(z.string()),
  /** Whether rows answer for the site because it could not be copied. */
  isLeftToRows: z.boolean(),
});
export type FoundDifference = Readonly<z.infer<typeof foundDifference>>;

interface Site {
  readonly siteId: number;
  readonly trackingId: string;
}

export interface FoundDifferences {
  /** The newest first, of those that can still matter. */
  list(): readonly FoundDifference[];
  /** Takes up what an earlier process found, but not that sites are left to rows: they are tried again. */
  restore(found: readonly FoundDifference[] | undefined): void;
  add(foundBy: Finder, site: Site, difference: Difference): void;
  /** Copies a site; returns undefined, and leaves it to rows, if it differs. */
  copying<T>(site: Site, copy: () => Promise<T>): Promise<T | undefined>;
  /** Whether rows answer, and it is not yet time to try again. */
  isLeft(siteId: number): boolean;
  /** Why rows answer for a site, as a sentence. */
  whyNot(siteId: number): string | undefined;
}

const TRIED_AGAIN_MS = 3_600_000;
const MOST_SHOWN = 20;
const LEFT = 'A part of the site could not be copied exactly; the server tries again within an hour.';

export interface DifferenceOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Counts milliseconds. */
  readonly now: () => number;
  readonly onDifference?: ((foundBy: Finder) => void) | undefined;
}

export function foundDifferences({ clock, log, now, onDifference }: DifferenceOptions): FoundDifferences {
  let found: readonly FoundDifference[] = [];
  /** When each site that is left to rows was tried last. */
  const left = new Map<number, number>();

  function add(foundBy: Finder, { siteId, trackingId }: Site, difference: Difference): void {
    onDifference?.(foundBy);
    log.error(
      { site: trackingId, foundBy, ...difference },
      `The column copy of ${trackingId} differs from PostgreSQL in ${differenceInWords(difference)}. ${
        foundBy === 'copying' ? 'Queries are answered from rows.' : 'It is discarded and made again.'
      }`,
    );
    const columns = [...difference.columns];
    const newest = { at: clock().toISOString(), foundBy, siteId, trackingId, ...difference, columns };
    // A site that is tried again each hour is in the list once.
    const others = found.filter((one) => one.siteId !== siteId || one.foundBy !== foundBy);
    found = [{ ...newest, isLeftToRows: false }, ...others].slice(0, MOST_SHOWN);
  }

  return {
    list: () =>
      found.map((one) => ({ ...one, isLeftToRows: one.foundBy === 'copying' && left.has(one.siteId) })),
    restore(earlier) {
      if (earlier !== undefined && found.length === 0) found = earlier;
    },
    add,
    async copying(site, copy) {
      try {
        const made = await copy();
        left.delete(site.siteId);
        return made;
      } catch (error) {
        if (!(error instanceof CopyDiffers)) throw error;
        left.set(site.siteId, now());
        add('copying', site, error.difference);
        return undefined;
      }
    },
    isLeft: (siteId) => now() - (left.get(siteId) ?? Number.NEGATIVE_INFINITY) < TRIED_AGAIN_MS,
    whyNot: (siteId) => (left.has(siteId) ? LEFT : undefined),
  };
}
