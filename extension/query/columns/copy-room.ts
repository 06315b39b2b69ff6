// Which sites a copy of bounded size has: those that queries ask for most. Without a bound it has all of them.
import type { Knex } from 'knex';
import { inTransaction } from '../../data/storage/in-transaction';
import { countRows, countRowsBySite, type OpenCopy, usedBytes } from './open-copy';
import { countStoredRows } from './site-spans';

interface CopyRoomOptions {
  /** undefined = no bound. */
  readonly mostBytes: number | undefined;
  readonly write: Knex;
  /** Counts milliseconds. */
  readonly now: () => number;
}

export interface CopyRoom {
  asked(siteIds: readonly number[]): void;
  /** The sites asked for most come first. */
  inOrder<Site extends { readonly siteId: number }>(sites: readonly Site[]): readonly Site[];
  /** Why a site is not in the copy, as a sentence. */
  whyNot(siteId: number): string;
  /** Counts the rows of the copy after they have changed. */
  measure(copy: OpenCopy): Promise<number>;
  /** The sites that make room for a new one; undefined while that one must wait. */
  leaversFor(copy: OpenCopy, site: PresentSite): Promise<readonly number[] | undefined>;
  /** The sites that leave because others have grown. */
  leaversOfGrowth(): readonly number[];
}

interface SiteShare {
  readonly siteId: number;
  readonly bytes: number;
  readonly uses: number;
}

interface PresentSite {
  readonly siteId: number;
  readonly version: string;
}

/** The size of a smaller copy says little about that of a row. */
const MEASURED_ROWS = 1_000_000;
const UNMEASURED_ROW_BYTES = 50;
/** A site replaces others only if it was asked for this many times as often as all of them: filling it is expensive. */
const TIMES_AS_OFTEN = 2;
const HALF_LIFE_MS = 3_600_000;

const FILLING = 'The column copy is still being filled.';
const NOT_ASKED = 'The site is copied to the column copy once it is asked for.';
const TOO_LARGE = 'The site is larger than the column copy may be (QAL_COLUMNS_MB).';
const NO_ROOM =
  'The column copy has no room for the site (QAL_COLUMNS_MB): others are asked for more, or nearly as much.';

export function copyRoom({ mostBytes, write, now }: CopyRoomOptions): CopyRoom {
  const uses = countUses(now);
  const waiting = new Map<number, string>();
  const stored = new Map<number, { readonly version: string; readonly rows: number }>();
  let copied: ReadonlyMap<number, number> = new Map();
  let rowBytes = UNMEASURED_ROW_BYTES;

  const shares = (): readonly SiteShare[] =>
    [...copied].map(([siteId, rows]) => ({ siteId, bytes: rows * rowBytes, uses: uses.of(siteId) }));

  /** Counted once for each data version. */
  async function storedRows({ tables }: OpenCopy, { siteId, version }: PresentSite): Promise<number> {
    const known = stored.get(siteId);
    if (known?.version === version) return known.rows;
    const { all: rows } = await inTransaction(write, (client) => countStoredRows(client, tables, siteId));
    stored.set(siteId, { version, rows });
    return rows;
  }

  return {
    asked(siteIds) {
      for (const siteId of siteIds) uses.add(siteId);
    },
    inOrder: (sites) => sites.toSorted((one, other) => uses.of(other.siteId) - uses.of(one.siteId)),
    whyNot: (siteId) => (mostBytes === undefined ? FILLING : (waiting.get(siteId) ?? NOT_ASKED)),
    async measure(copy) {
      const rows = await countRows(copy);
      if (mostBytes === undefined) return rows;
      copied = await countRowsBySite(copy);
      rowBytes = rows < MEASURED_ROWS ? UNMEASURED_ROW_BYTES : (await usedBytes(copy)) / rows;
      return rows;
    },
    async leaversFor(copy, site) {
      if (mostBytes === undefined) return [];
      const { siteId } = site;
      const own = uses.of(siteId);
      if (own === 0) return undefined;
      waiting.set(siteId, FILLING);
      const share = { siteId, uses: own, bytes: (await storedRows(copy, site)) * rowBytes };
      const leavers = leastUsed(shares(), mostBytes - share.bytes);
      if (share.bytes <= mostBytes && own >= sumOf(leavers.map((it) => it.uses)) * TIMES_AS_OFTEN)
        return leavers.map((it) => it.siteId);
      waiting.set(siteId, share.bytes > mostBytes ? TOO_LARGE : NO_ROOM);
      return undefined;
    },
    leaversOfGrowth: () =>
      mostBytes === undefined ? [] : leastUsed(shares(), mostBytes).map(({ siteId }) => siteId),
  };
}

/** The sites asked for least that must leave until the others fit. */
export function leastUsed(sites: readonly SiteShare[], mostBytes: number): readonly SiteShare[] {
  let bytes = sumOf(sites.map((it) => it.bytes));
  const inOrder = sites.toSorted((one, other) => one.uses - other.uses);
  const stays = inOrder.findIndex((site) => {
    if (bytes <= mostBytes) return true;
    bytes -= site.bytes;
    return false;
  });
  return stays === -1 ? inOrder : inOrder.slice(0, stays);
}

/** How often each site was asked for: half as much after an hour. */
function countUses(now: () => number) {
  const counts = new Map<number, { readonly uses: number; readonly at: number }>();
  const of = (siteId: number): number => {
    const { uses, at } = counts.get(siteId) ?? { uses: 0, at: 0 };
    return uses * 2 ** ((at - now()) / HALF_LIFE_MS);
  };
  return { of, add: (siteId: number) => counts.set(siteId, { uses: of(siteId) + 1, at: now() }) };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
