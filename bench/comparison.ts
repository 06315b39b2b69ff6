// Owns a whole run of the comparison: data, DuckDB, all forms, clients at once.
// A host with its database, a size and a folder for DuckDB -> the sections of the report.
import { compareForms } from './compare';
import { loadBenchData, secondsToMakeAMillion } from './data/load';
import { LARGE_SITE, type Size } from './data/shape';
import { type Duck, openDuck } from './duck';
import { openForms } from './forms';
import type { BenchHost } from './host';
import { comparisonSections, loadSections, throughputSections } from './report';
import { measureThroughput } from './throughput';

/** One execution may take so long. */
export const LIMIT_MS = 60_000;

export interface ComparisonOptions {
  /** For the file of DuckDB. */
  readonly directory: string;
  /** Only the queries with this in their name, and no clients at once. */
  readonly match: string | undefined;
  /** Hears how far it is. */
  tell(text: string): void;
}

/** Loads what is missing, compares, and writes down what came out. */
export async function measureComparison(
  host: BenchHost,
  size: Size,
  { directory, match, tell }: ComparisonOptions,
): Promise<readonly string[]> {
  const { write } = host.installation.database;
  const costs = await loadBenchData(write, size, tell);
  const makeSeconds = costs === undefined ? 0 : secondsToMakeAMillion(size);
  const duck = await openDuck(write, directory);
  tell(`DuckDB ${duck.version} filled in ${duck.fillSeconds.toFixed(1)} s`);
  try {
    const about = await describeEngines(host, duck);
    const siteId = await siteIdOf(host);
    const { forms, close } = await openForms(host, duck, siteId, LIMIT_MS);
    const compared = await compareForms(forms, tell, match).finally(close);
    const throughput = match === undefined ? throughputSections(await measureThroughput(host)) : [];
    return [
      about,
      ...comparisonSections(compared, LIMIT_MS),
      ...throughput,
      ...loadSections(costs, makeSeconds),
    ];
  } finally {
    duck.close();
  }
}

async function siteIdOf({ installation }: BenchHost): Promise<number> {
  const { rows }: { rows: { site_id: number }[] } = await installation.database.write.raw(
    'SELECT site_id FROM analytics.site WHERE tracking_id = ?',
    [LARGE_SITE],
  );
  const [site] = rows;
  if (site === undefined) throw new Error(`The site ${LARGE_SITE} is not there.`);
  return site.site_id;
}

async function describeEngines({ installation }: BenchHost, duck: Duck): Promise<string> {
  const { write } = installation.database;
  const { rows }: { rows: Readonly<Record<string, string | number>>[] } = await write.raw(
    `SELECT current_setting('server_version') AS version, current_setting('shared_buffers') AS buffers,
            pg_database_size(current_database()) / 1e6 AS size,
            (SELECT count(*) FROM analytics.page_view)::int AS views, (SELECT count(*) FROM analytics.click)::int AS clicks,
            (SELECT count(*) FROM analytics.search_day)::int AS searches,
            (SELECT count(DISTINCT (site_id, session_id)) FROM analytics.page_view)::int AS sessions,
            (SELECT count(DISTINCT (site_id, reader_id)) FROM analytics.page_view)::int AS readers`,
  );
  const [facts = {}] = rows;
  const number = (name: string) => Math.round(Number(facts[name])).toLocaleString('en');
  return `${number('views')} page views of a year in three sites (80, 15 and 5 %), ${number('sessions')} sessions, ${number('readers')} readers, ${number('clicks')} clicks, ${number('searches')} rows of searches; the queries ask the largest site.
PostgreSQL ${facts.version}, shared_buffers ${facts.buffers}, ${number('size')} MB on disk. DuckDB ${duck.version}, ${duck.threads} threads, ${duck.fileMegabytes.toFixed(0)} MB on disk (fewer columns), filled in ${duck.fillSeconds.toFixed(1)} s.`;
}
