// Stored counts of distinct values in the copy, and facts about visits. After each change, DuckDB computes them again from the
// first changed day on, in pieces, so that the next change does not have to wait long.
import { z } from 'zod';
import type { Log } from '../../../host-shim/extension-api';
import { type PreparedCounts, QUARTER_HOUR, uniqueCountsTable } from '../../language/types/unique-counts';
import { VISIT_REACH, VISIT_VIEWS } from '../../language/types/view-values';
import type { ColumnFile } from './column-file';
import { ColumnFileError } from './column-file-error';
import {
  type CountsTable,
  type Derived,
  derivedCounts,
  type Found,
  type Piece,
  placeholders,
  recordCounts,
} from './unique-counts';
import { derivedValues, nameOfValues, SOME_UNMATCHED, type ViewValues } from './view-values';
import { constantFields, derivedFacts, nameOfFacts, type VisitFacts } from './visit-facts';

/** How many days of a site are counted together. This takes only seconds, even for a large site. */
const DAYS_AT_ONCE = 92;
/** Smaller sites are counted as a whole, several at a time, up to this many rows in total. */
const SMALL_SITE_ROWS = 500_000;
const MAX_SITES_AT_ONCE = 200;
/**
 * DuckDB reads up to this many rows, one row group, on a single thread. Waking other threads and waiting for them takes more time than
 * they save.
 */
const ONE_THREAD_ROWS = 122_880;
/** Up to this many rows, all tables are counted together. */
const FEW_ROWS = 20_000;
const DAY = 86_400;

export interface KeptCounts extends PreparedCounts {
  readonly tables: readonly CountsTable[];
  readonly derived: readonly Derived[];
  /** Whether a site's stored values cover all of its rows but do not match them. */
  differ(derived: Derived, siteId: number): Promise<boolean>;
  /** Must be called after rows of these sites have changed. */
  reload(siteIds: readonly number[]): Promise<void>;
  /** Counts the next piece. Returns false if everything is counted. */
  countNext(siteIds: readonly number[]): Promise<boolean>;
}

const countedRows = z.array(
  z.tuple([z.number(), z.string(), z.number().or(z.literal(Infinity)), z.number()]),
);

const sizeRows = z.array(z.tuple([z.string(), z.number()]));

interface Counted {
  readonly until: number;
  readonly found: number;
}

export async function openCounts(
  file: ColumnFile,
  {
    tables,
    facts,
    values,
  }: {
    readonly tables: readonly CountsTable[];
    readonly facts: readonly VisitFacts[];
    readonly values: readonly ViewValues[];
  },
  log: Log,
  smallSiteRows = SMALL_SITE_ROWS,
): Promise<KeptCounts> {
  const derived = [...tables.map(derivedCounts), ...facts.map(derivedFacts), ...values.map(derivedValues)];
  /** Counts that DuckDB could not compute, usually because there was not enough memory. Queries count these values themselves. */
  const failed = new Set<Derived>();
  const counted = new Map<number, Map<string, Counted>>();
  let sizes: ReadonlyMap<string, number> = new Map();
  async function read(siteIds: readonly number[], condition: string): Promise<void> {
    const text = `SELECT site_id, counts, until, found FROM counted ${condition}`;
    const rows = countedRows.parse(await file.read({ text, bindings: siteIds }));
    for (const siteId of siteIds) counted.delete(siteId);
    for (const [siteId, name, until, found] of rows) {
      const ofSite = counted.get(siteId) ?? new Map<string, Counted>();
      counted.set(siteId, ofSite.set(name, { until, found }));
    }
    const tables = "SELECT table_name, estimated_size FROM duckdb_tables() WHERE schema_name = 'analytics'";
    sizes = new Map(sizeRows.parse(await file.read({ text: tables })));
    const largest = Math.max(0, ...sizes.values());
    // An empty copy is filled next, perhaps with a large site.
    await file.allowSeveralThreads(largest === 0 || largest > ONE_THREAD_ROWS);
  }
  await read([], '');
  const reload = (siteIds: readonly number[]) =>
    read(siteIds, `WHERE site_id IN (${placeholders(siteIds, 1)})`);
  const knownOf = ({ name }: Derived, { siteIds }: Piece): Found =>
    new Map(
      siteIds.flatMap((siteId): readonly [number, number][] => {
        const known = counted.get(siteId)?.get(name);
        return known === undefined ? [] : [[siteId, known.found]];
      }),
    );
  const countedOf = (name: string, siteId: number): Counted =>
    counted.get(siteId)?.get(name) ?? { until: 0, found: 0 };
  const untilOf = (name: string, siteId: number): number => countedOf(name, siteId).until;
  const until = (name: string, siteIds: readonly number[]): number =>
    Math.min(...siteIds.map((siteId) => untilOf(name, siteId)));
  const valuesOf = (material: string) => values.find(({ materials }) => materials.includes(material));
  const reachOf = (known: ViewValues | undefined, siteIds: readonly number[]): number =>
    known ? Math.max(...siteIds.map((siteId) => countedOf(nameOfValues(known), siteId).found)) : 0;
  return {
    tables,
    derived,
    countedUntil: (counts, siteIds) => until(uniqueCountsTable(counts), siteIds),
    countedSpread: (counts, siteIds) =>
      Math.max(...siteIds.map((siteId) => countedOf(uniqueCountsTable(counts), siteId).found)),
    visitFields(material, siteIds, end) {
      const known = facts.find((it) => it.material === material);
      if (known === undefined) return new Set();
      const name = nameOfFacts(known);
      if (until(name, siteIds) < end) return new Set();
      return constantFields(
        known,
        siteIds.reduce((found, siteId) => found | countedOf(name, siteId).found, 0),
      );
    },
    visitReach: (material, siteIds) => reachOf(valuesOf(material), siteIds) * QUARTER_HOUR,
    dimensionRows: (table) => sizes.get(table) ?? Number.POSITIVE_INFINITY,
    viewFields(material, siteIds, end) {
      const known = valuesOf(material);
      const isValid =
        known !== undefined &&
        until(nameOfValues(known), siteIds) >= end &&
        reachOf(known, siteIds) < SOME_UNMATCHED;
      return new Set(isValid ? [...known.fields, VISIT_VIEWS, VISIT_REACH] : []);
    },
    differ: async (it, siteId) =>
      untilOf(it.name, siteId) === Number.POSITIVE_INFINITY &&
      it.differs(file, siteId, countedOf(it.name, siteId).found),
    reload,
    async countNext(siteIds) {
      for (const one of derived) {
        const pending = siteIds.filter((it) => untilOf(one.name, it) < Infinity).slice(0, MAX_SITES_AT_ONCE);
        if (pending.length === 0 || failed.has(one)) continue;
        let current = one;
        try {
          const sites = pending.map((siteId) => ({ siteId, until: untilOf(one.name, siteId) }));
          const piece = nextPiece(await readSiteRows(file, one, sites), smallSiteRows);
          const canUsePiece = (other: Derived) =>
            other.source === one.source &&
            !failed.has(other) &&
            piece.siteIds.every((it) => untilOf(other.name, it) >= piece.since) &&
            piece.siteIds.some((it) => untilOf(other.name, it) < Infinity);
          await file.write(async (run) => {
            const updated = new Map<Derived, Found>();
            for (current of piece.isSmall ? derived.filter(canUsePiece) : [one])
              updated.set(current, await current.update(run, piece, knownOf(current, piece)));
            await recordCounts(run, piece, updated);
          });
          await reload(piece.siteIds);
        } catch (error) {
          if (!(error instanceof ColumnFileError) || error.isFatal) throw error;
          failed.add(current);
          log.warn(
            { err: error },
            'The columnar copy could not count values in advance, so queries count them.',
          );
        }
        return true;
      }
      return false;
    },
  };
}

interface SiteRows {
  readonly siteId: number;
  /** The instant up to which the site's rows are counted. */
  readonly until: number;
  /** Instants; null if there are no rows. */
  readonly first: number | null;
  readonly last: number | null;
  readonly count: number;
}

const edgeRows = z.array(z.tuple([z.number(), z.number(), z.number(), z.number()]));

async function readSiteRows(
  file: ColumnFile,
  { source, time }: Derived,
  sites: readonly Pick<SiteRows, 'siteId' | 'until'>[],
): Promise<readonly SiteRows[]> {
  const siteIds = sites.map(({ siteId }) => siteId);
  const edges = edgeRows.parse(
    await file.read({
      text: `SELECT site_id, min("${time}"), max("${time}"), count(*) FROM analytics.${source}
              WHERE site_id IN (${placeholders(siteIds, 1)}) GROUP BY site_id`,
      bindings: siteIds,
    }),
  );
  return sites.map((site) => {
    const [, first = null, last = null, count = 0] = edges.find(([siteId]) => siteId === site.siteId) ?? [];
    return { ...site, first, last, count };
  });
}

/** Some days of the first site, or all rows of several small sites. */
function nextPiece(sites: readonly SiteRows[], smallSiteRows: number): Piece {
  const [next, ...others] = sites;
  if (next === undefined) throw new RangeError('There is no site to count.');
  if (next.count >= smallSiteRows) {
    const first = Math.floor((next.first ?? 0) / QUARTER_HOUR) * QUARTER_HOUR;
    const end = Math.max(next.until, first) + DAYS_AT_ONCE * DAY;
    const isLast = next.last === null || next.last < end;
    return { siteIds: [next.siteId], since: next.until, end, isLast, isSmall: false };
  }
  const together = [next];
  let rows = next.count;
  for (const site of others) {
    if (rows + site.count > smallSiteRows) continue;
    rows += site.count;
    together.push(site);
  }
  return {
    siteIds: together.map(({ siteId }) => siteId),
    since: Math.min(...together.map(({ until }) => until)),
    end: Math.max(...together.map(({ until, last }) => Math.max(until, last ?? 0))) + DAY,
    isLast: true,
    isSmall: rows <= FEW_ROWS,
  };
}
