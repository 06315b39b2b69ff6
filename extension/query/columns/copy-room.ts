// Decides which sites a copy of limited size contains: those that are queried most. Without a limit, the copy contains all sites.
import type { Knex } from 'knex';
import { forCopy } from '../../data/storage/in-transaction';
import type { Workers } from '../../data/storage/workers';
import type { SiteState } from '../../language/types/resolved-query';
import { countRows, countRowsBySite, type OpenCopy, usedBytes } from './open-copy';
import { countStoredRows } from './site-spans';

interface CopyRoomOptions {
  readonly maxBytes: number | undefined;
  readonly write: Knex;
  readonly workers: Workers;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

export type CopyRoom = ReturnType<typeof copyRoom>;

interface SiteShare {
  readonly siteId: number;
  readonly bytes: number;
  readonly uses: number;
}

/** In a copy with fewer rows, the size of a row cannot be measured reliably. */
const MEASURED_ROWS = 1_000_000;
const UNMEASURED_ROW_BYTES = 50;
/** Copying is expensive, so a site replaces others only if it was queried this many times as often as all of them together. */
const TIMES_AS_OFTEN = 2;
const HALF_LIFE_MS = 3_600_000;

const FILLING = 'The columnar copy is still being filled.';
const NOT_QUERIED = 'The site will be added to the columnar copy when it is queried.';
const TOO_LARGE = 'The site is larger than the limit of the columnar copy (QAL_COLUMNS_MB).';
const NO_ROOM =
  'The columnar copy has no room for the site (QAL_COLUMNS_MB), because other sites are queried more often, or nearly as often.';

export function copyRoom({ maxBytes, write, workers, now }: CopyRoomOptions) {
  const uses = countUses(now);
  const waiting = new Map<number, string>();
  const stored = new Map<number, { readonly version: string; readonly rows: number }>();
  let copied: ReadonlyMap<number, number> = new Map();
  let rowBytes = UNMEASURED_ROW_BYTES;

  const shares = (): readonly SiteShare[] =>
    [...copied].map(([siteId, rows]) => ({ siteId, bytes: rows * rowBytes, uses: uses.of(siteId) }));

  async function storedRows({ tables }: OpenCopy, { siteId, version }: SiteState): Promise<number> {
    const known = stored.get(siteId);
    if (known?.version === version) return known.rows;
    const { all: rows } = await forCopy(
      write,
      (client) => countStoredRows(client, tables, siteId),
      workers.guard([siteId]),
    );
    stored.set(siteId, { version, rows });
    return rows;
  }

  return {
    requested(siteIds: readonly number[]) {
      for (const siteId of siteIds) uses.add(siteId);
    },
    /** Sorts the most queried sites first. */
    inOrder: <Site extends { readonly siteId: number }>(sites: readonly Site[]): readonly Site[] =>
      sites.toSorted((one, other) => uses.of(other.siteId) - uses.of(one.siteId)),
    whyNot: (siteId: number): string =>
      maxBytes === undefined ? FILLING : (waiting.get(siteId) ?? NOT_QUERIED),
    /** Counts the rows in the copy. */
    async measure(copy: OpenCopy) {
      const rows = await countRows(copy);
      if (maxBytes === undefined) return rows;
      copied = await countRowsBySite(copy);
      rowBytes = rows < MEASURED_ROWS ? UNMEASURED_ROW_BYTES : (await usedBytes(copy)) / rows;
      return rows;
    },
    /** The sites to remove to make room for a new one; undefined if the new one must wait. */
    async sitesToEvictFor(copy: OpenCopy, site: SiteState): Promise<readonly number[] | undefined> {
      if (maxBytes === undefined) return [];
      const { siteId } = site;
      const ownUses = uses.of(siteId);
      if (ownUses === 0) return undefined;
      waiting.set(siteId, FILLING);
      const share = { siteId, uses: ownUses, bytes: (await storedRows(copy, site)) * rowBytes };
      const leavers = leastUsed(shares(), maxBytes - share.bytes);
      if (share.bytes <= maxBytes && ownUses >= sumOf(leavers.map((it) => it.uses)) * TIMES_AS_OFTEN)
        return leavers.map((it) => it.siteId);
      waiting.set(siteId, share.bytes > maxBytes ? TOO_LARGE : NO_ROOM);
      return undefined;
    },
    /** The sites to remove because others have grown. */
    sitesToEvict: (): readonly number[] =>
      maxBytes === undefined ? [] : leastUsed(shares(), maxBytes).map(({ siteId }) => siteId),
  };
}

export function leastUsed(sites: readonly SiteShare[], maxBytes: number): readonly SiteShare[] {
  let bytes = sumOf(sites.map((it) => it.bytes));
  const inOrder = sites.toSorted((one, other) => one.uses - other.uses);
  const firstKept = inOrder.findIndex((site) => {
    if (bytes <= maxBytes) return true;
    bytes -= site.bytes;
    return false;
  });
  return firstKept === -1 ? inOrder : inOrder.slice(0, firstKept);
}

/** Counts how often each site was queried, with a half-life of an hour. */
function countUses(now: () => number) {
  const counts = new Map<number, { readonly uses: number; readonly at: number }>();
  const of = (siteId: number): number => {
    const { uses, at } = counts.get(siteId) ?? { uses: 0, at: 0 };
    return uses * 2 ** ((at - now()) / HALF_LIFE_MS);
  };
  return { of, add: (siteId: number) => counts.set(siteId, { uses: of(siteId) + 1, at: now() }) };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
