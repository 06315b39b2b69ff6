// Differences between the copy and PostgreSQL. Queries on a site are answered from rows until it can be copied exactly.
import { z } from 'zod';
import type { Clock, Log } from '../../../host-shim/extension-api';
import { CopyDiffers, type Difference, differenceInWords } from './check-copied';

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
  /** Whether queries on the site are answered from rows because it could not be copied. */
  isLeftToRows: z.boolean(),
});
export type FoundDifference = Readonly<z.infer<typeof foundDifference>>;

type Site = Pick<FoundDifference, 'siteId' | 'trackingId'>;

export interface FoundDifferences {
  list(): readonly FoundDifference[];
  /** Adds the differences that an earlier process found. Sites that it could not copy are copied again. */
  restore(found: readonly FoundDifference[] | undefined): void;
  add(foundBy: Finder, site: Site, difference: Difference): void;
  /** Copies a site. If the copy differs, returns undefined, and queries on the site are answered from rows. */
  copying<T>(site: Site, copy: () => Promise<T>): Promise<T | undefined>;
  /** Whether queries on the site are answered from rows, and copying it should not be retried yet. */
  isLeft(siteId: number): boolean;
  whyNot(siteId: number): string | undefined;
}

const RETRY_MS = 3_600_000;
const MAX_SHOWN = 20;
const LEFT = 'Part of the site could not be copied exactly; the server will retry within an hour.';

export interface DifferenceOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly onDifference?: ((foundBy: Finder) => void) | undefined;
}

export function foundDifferences({ clock, log, now, onDifference }: DifferenceOptions): FoundDifferences {
  let found: readonly FoundDifference[] = [];
  /** For each site whose queries are answered from rows, the time of the last attempt to copy it. */
  const left = new Map<number, number>();

  function add(foundBy: Finder, { siteId, trackingId }: Site, difference: Difference): void {
    onDifference?.(foundBy);
    log.error(
      { site: trackingId, foundBy, ...difference },
      `The columnar copy of ${trackingId} differs from PostgreSQL in ${differenceInWords(difference)}. ${
        foundBy === 'copying' ? 'Queries are answered from rows.' : 'It is discarded and rebuilt.'
      }`,
    );
    const columns = [...difference.columns];
    const newest = { at: clock().toISOString(), foundBy, siteId, trackingId, ...difference, columns };
    // A site that is retried hourly is listed only once.
    const others = found.filter((one) => one.siteId !== siteId || one.foundBy !== foundBy);
    found = [{ ...newest, isLeftToRows: false }, ...others].slice(0, MAX_SHOWN);
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
        const copied = await copy();
        left.delete(site.siteId);
        return copied;
      } catch (error) {
        if (!(error instanceof CopyDiffers)) throw error;
        left.set(site.siteId, now());
        add('copying', site, error.difference);
        return undefined;
      }
    },
    isLeft: (siteId) => now() - (left.get(siteId) ?? Number.NEGATIVE_INFINITY) < RETRY_MS,
    whyNot: (siteId) => (left.has(siteId) ? LEFT : undefined),
  };
}
