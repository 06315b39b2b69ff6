// Takes all measurements for one size of the data, from loading to concurrent clients. Measurements from an earlier run in the
// same directory are not repeated.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { compareForms } from './compare';
import { loadBenchData, rowsFolder } from './data/load';
import { LARGE_SITE, type Size } from './data/shape';
import { openDuck } from './duck';
import { measureFill } from './fill';
import { LIMIT_MS, openForms } from './forms';
import { measureFullHouse } from './full-house';
import { type BenchHost, withBenchHost } from './host';
import { BENCH_QUERIES, bodyOf, RANGES, type SiteIds, valuesOf } from './queries';
import type { BenchQuery } from './queries/bench-query';
import { measureRequestCosts } from './request-cost';
import { openResults, type Results, type ResultsFile, readResults } from './results';
import { measureServed } from './served';
import { measureStored } from './stored';

interface SizeOptions {
  readonly size: Size;
  /** Contains the database, DuckDB's file, generated rows and results. Existing files are reused. */
  readonly directory: string;
  /** Measures only some queries, and only with the columnar copy, to see how times grow with the data. */
  readonly isForGrowth: boolean;
  /** Measures only queries whose names contain this text. */
  readonly match: string | undefined;
  log(text: string): void;
}

/** Queries with small results, to measure the cost of a request outside the engine. */
const SMALL = ['count_only', 'by device'];
const DAYS = 30;

/** The queries that are measured for every size. */
export const GROWTH_QUERIES: readonly string[] = [
  'top pages',
  'by country and device',
  'daily trend',
  'sessions by url',
  'readers by device',
  'count_only',
  'clicks during visits by device (session_id)',
  'by source, medium and device',
  'top pages, urls with a word',
  'visits that included a page, by source',
  'readers who came back, by device',
  'search keywords',
];

/** Only the form `columns` is measured for these sizes: the other forms would take hours. */
const ONLY_COLUMNS: readonly Size[] = ['50m'];

const unfinished = (directory: string): string => join(directory, 'measuring.json');
const finished = (directory: string): string => join(directory, 'measured.json');

/** The measurements of the current or interrupted run, or else of the last finished one. */
export function resultsIn(directory: string): Results {
  const results = readResults(unfinished(directory));
  return Object.keys(results.questions).length > 0 ? results : readResults(finished(directory));
}

/** Loads missing data and takes all measurements. Throws if two forms of a query return different rows. */
export async function measureSize(options: SizeOptions): Promise<void> {
  const { size, directory, isForGrowth, match, log } = options;
  const dataDir = join(directory, 'database');
  mkdirSync(dataDir, { recursive: true });
  const results = openResults(unfinished(directory), finished(directory));
  const host = { dataDir, queryTimeoutSeconds: LIMIT_MS / 1000 };
  await withBenchHost(host, async (running) => {
    const { write } = running.installation.database;
    await loadBenchData({ write, dataDir, size, files: rowsFolder(directory), results, log });
    await results.once('stored', () => measureStored(write));
    if (results.all().fill !== undefined) await running.fillColumns();
    else await results.once('fill', () => measureFill(running, dataDir, smallTarget(running)));
    log('columnar copy filled');
    await compareAll(running, results, options);
    if (match !== undefined || isForGrowth) return;
    await results.once('costs', () =>
      measureRequestCosts(
        Object.fromEntries(SMALL.map((name) => [name, running.target(bodyOf(queryOf(name), DAYS))])),
      ),
    );
  });
  if (match !== undefined) return;
  log('measuring a server, its clients, and the import of one more day ...');
  await results.once('served', () =>
    withBenchHost(host, (running) => measureServed(running, directory, dataDir)),
  );
  if (!isForGrowth) {
    log('measuring a thousand connections ...');
    await results.once('fullHouse', () =>
      withBenchHost(host, (running) =>
        measureFullHouse(running, dataDir, bodyOf(queryOf('count_only'), DAYS)),
      ),
    );
  }
  results.finish();
}

const smallTarget = (host: BenchHost) => host.target(bodyOf(queryOf('count_only'), DAYS));

async function compareAll(
  running: BenchHost,
  results: ResultsFile,
  { size, directory, isForGrowth, match, log }: SizeOptions,
): Promise<void> {
  const { write } = running.installation.database;
  const queries = BENCH_QUERIES.filter(
    ({ name }) => name.includes(match ?? '') && (!isForGrowth || GROWTH_QUERIES.includes(name)),
  );
  if (match === undefined && queries.every(({ name }) => results.all().questions[name] !== undefined)) return;
  const duck = isForGrowth || ONLY_COLUMNS.includes(size) ? undefined : await openDuck(write, directory);
  try {
    if (duck !== undefined)
      await results.once('duck', async () => ({ version: duck.version, megabytes: duck.fileMegabytes }));
    const sites = await siteIds(write);
    const { forms, close } = openForms(running, duck, sites);
    try {
      // Each form reads its data once beforehand, so that disk reads are not measured.
      for (const form of forms) await form.run(queryOf('top pages'), Math.max(...RANGES));
      const viewsOf = countViews(write, sites);
      const failures: unknown[] = [];
      for (const query of queries) {
        const compare = () => compareForms({ forms, query, viewsOf, log });
        const done = match === undefined ? results.onceOf('questions', query.name, compare) : compare();
        await done.catch((error: unknown) => {
          log(`FAILED: ${String(error)}`);
          failures.push(error);
        });
      }
      // Thrown last, so that one wrong result does not discard the other measurements.
      if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
    } finally {
      close();
    }
  } finally {
    duck?.close();
  }
}

async function siteIds(write: Knex): Promise<SiteIds> {
  const { rows }: { rows: { site_id: number; tracking_id: string }[] } = await write.raw(
    'SELECT site_id, tracking_id FROM analytics.site ORDER BY site_id',
  );
  const large = rows.find(({ tracking_id }) => tracking_id === LARGE_SITE)?.site_id;
  if (large === undefined) throw new Error(`The site ${LARGE_SITE} does not exist.`);
  return { large, all: rows.map(({ site_id }) => site_id) };
}

/** Counts the page views in the range, once per range and set of sites. */
function countViews(write: Knex, sites: SiteIds): (query: BenchQuery, days: number) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  const count = async (range: readonly (string | number)[]): Promise<number> => {
    const { rows }: { rows: { views: number }[] } = await write.raw(
      'SELECT count(*)::int AS views FROM analytics.page_view WHERE site_id = ANY(?::smallint[]) AND at >= ? AND at < ?',
      range,
    );
    return rows[0]?.views ?? 0;
  };
  return (query, days) => {
    const { sites: ids = '', from = '', to = '' } = valuesOf(query, days, sites);
    const range = [ids, from, to];
    const views = known.get(range.join()) ?? count(range);
    known.set(range.join(), views);
    return views;
  };
}

function queryOf(name: string): BenchQuery {
  const query = BENCH_QUERIES.find((one) => one.name === name);
  if (query === undefined) throw new Error(`Unknown query: ${name}.`);
  return query;
}
