// A whole run of the comparison: data, DuckDB, all forms, clients at once, the result cache, the goals.
// Each part of the page is written as soon as it is measured.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { compareForms } from './compare';
import { loadBenchData } from './data/load';
import { LARGE_SITE, type Size } from './data/shape';
import { type Duck, openDuck } from './duck';
import { openForms } from './forms';
import { type BenchHost, withBenchHost } from './host';
import { type NamedTimes, timeRequest } from './http-client';
import { type Part, publish } from './page';
import { BENCH_QUERIES, bodyOf, type SiteIds, valuesOf } from './queries';
import type { BenchQuery } from './queries/bench-query';
import { clientsSections } from './report/clients-sections';
import { comparisonSections } from './report/comparison-sections';
import { goalsSection } from './report/goals';
import { loadSections } from './report/load-sections';
import { LIMIT_MS } from './report/ratios';
import { measureRequestCosts } from './request-cost';
import { describeRows, storedSections } from './stored';
import { measureThroughput } from './throughput';

export interface ComparisonOptions {
  readonly size: Size;
  /** For the database, the file of DuckDB and the generated rows; what is there already is used. */
  readonly directory: string;
  readonly withDuck: boolean;
  /** Asks only the questions with this in their name, and writes nothing to the page. */
  readonly match: string | undefined;
  readonly page: string;
  /** Reports progress. */
  tell(text: string): void;
}

const CACHE_MEGABYTES = 64;
const CACHED_ROUNDS = 20;
const CACHED = ['top pages', 'list of 1000 rows'];
/** Small answers, for what a request costs besides the database. */
const SMALL = ['count_only', 'by device'];
const DAYS = 30;

/** Loads what is missing, compares, and writes the results; throws when two forms answer different rows. */
export async function runComparison(options: ComparisonOptions): Promise<void> {
  const { size, directory, match, page, tell } = options;
  const host = { dataDir: join(directory, 'database'), queryTimeoutSeconds: LIMIT_MS / 1000 };
  mkdirSync(directory, { recursive: true });
  const write = (part: Part, title: string, sections: readonly string[]): void => {
    if (match === undefined) publish(page, part, `${title}: ${size} page views`, sections);
    else process.stdout.write(`${sections.join('\n\n')}\n`);
  };

  const measured = await withBenchHost(host, async (running) => {
    const { write: database } = running.installation.database;
    const loads = await loadBenchData(database, size, directory, tell);
    if (match === undefined)
      write(`${size}-load`, 'Load', [...loadSections(loads), ...(await storedSections(database))]);
    tell(`column copy filled in ${(await running.fillColumns()).toFixed(1)} s`);
    const compared = await compareAll(running, options, (sections) =>
      write(size, 'Compared with other engines', sections),
    );
    if (match !== undefined) return undefined;
    tell('clients at once ...');
    const throughput = await measureThroughput(running);
    const costs = await measureRequestCosts(
      Object.fromEntries(
        SMALL.map((name) => [`POST /query, ${name}`, running.target(bodyOf(queryOf(name), DAYS))]),
      ),
    );
    return { compared, loads, throughput, costs };
  });
  if (measured === undefined) return;
  const cached = await withBenchHost({ ...host, cacheMegabytes: CACHE_MEGABYTES }, measureCached);
  write(`${size}-clients`, 'Clients', clientsSections(measured.throughput, measured.costs, cached));
  const goals = goalsSection(measured);
  if (goals !== undefined) write(`${size}-goals`, 'Goals', [goals]);
}

/** Compares and writes the sections; when two forms answer different rows it prints them and throws instead. */
async function compareAll(
  running: BenchHost,
  { directory, withDuck, match = '', tell }: ComparisonOptions,
  write: (sections: readonly string[]) => void,
) {
  const { write: database } = running.installation.database;
  const duck = withDuck ? await openDuck(database, directory) : undefined;
  try {
    const about = `${await describeRows(database)}${duck === undefined ? '\nWithout DuckDB.' : describeDuck(duck)}`;
    const sites = await siteIds(database);
    const { forms, close } = await openForms(running, duck, sites, LIMIT_MS);
    const queries = BENCH_QUERIES.filter(({ name }) => name.includes(match));
    const viewsOf = countViews(database, sites);
    const { compared, faults } = await compareForms({ forms, queries, viewsOf, tell }).finally(close);
    const sections = [about, ...comparisonSections(compared)];
    if (faults.length > 0) {
      process.stdout.write(`${sections.join('\n\n')}\n`);
      throw new Error(`The forms do not agree, so nothing was written:\n${faults.join('\n')}`);
    }
    write(sections);
    return compared;
  } finally {
    duck?.close();
  }
}

function describeDuck({ version, threads, fileMegabytes, fillSeconds }: Duck): string {
  const filled = fillSeconds === undefined ? 'an earlier run' : `${fillSeconds.toFixed(1)} s`;
  return ` DuckDB ${version}, ${threads} threads, ${fileMegabytes.toFixed(0)} MB on disk (fewer columns), filled in ${filled}.`;
}

async function siteIds(database: Knex): Promise<SiteIds> {
  const { rows }: { rows: { site_id: number; tracking_id: string }[] } = await database.raw(
    'SELECT site_id, tracking_id FROM analytics.site ORDER BY site_id',
  );
  const large = rows.find(({ tracking_id }) => tracking_id === LARGE_SITE)?.site_id;
  if (large === undefined) throw new Error(`The site ${LARGE_SITE} is not there.`);
  return { large, all: rows.map(({ site_id }) => site_id) };
}

/** Counts the page views in range, once for each range and its sites. */
function countViews(database: Knex, sites: SiteIds): (query: BenchQuery, days: number) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  const count = async (range: readonly (string | number)[]): Promise<number> => {
    const { rows }: { rows: { views: number }[] } = await database.raw(
      'SELECT count(*)::int AS views FROM analytics.page_view WHERE site_id = ANY(?::smallint[]) AND at >= ? AND at < ?',
      range,
    );
    return rows[0]?.views ?? 0;
  };
  return (query, days) => {
    const { sites: asked = '', from = '', to = '' } = valuesOf(query, days, sites);
    const range = [asked, from, to];
    const views = known.get(range.join()) ?? count(range);
    known.set(range.join(), views);
    return views;
  };
}

function queryOf(name: string): BenchQuery {
  const query = BENCH_QUERIES.find((one) => one.name === name);
  if (query === undefined) throw new Error(`There is no query ${name}.`);
  return query;
}

/** The first answer is computed, by a program that other ranges have warmed up; the others are cached. */
async function measureCached(running: BenchHost): Promise<readonly NamedTimes[]> {
  const target = (name: string, days: number) => running.target(bodyOf(queryOf(name), days));
  for (let days = DAYS + 1; days <= DAYS + CACHED_ROUNDS; days += 1)
    for (const name of CACHED) await timeRequest(target(name, days), 0);
  const all: NamedTimes[] = [];
  for (const name of CACHED)
    all.push({ name: `${name}, ${DAYS} days`, ...(await timeRequest(target(name, DAYS), CACHED_ROUNDS)) });
  return all;
}
