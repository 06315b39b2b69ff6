// Owns the forms in which a question is put: ours over HTTP, ours without what is kept counted, ours as the plain plan,
// SQL by hand, DuckDB.
// A query and a range -> one timed execution; what it answered is read after the clock has stopped.
import http from 'node:http';
import { contractOf } from '../extension/analytics';
import { QueryError } from '../extension/errors/query-error';
import { PASSES } from '../extension/qal/plan/plan-query';
import { queryContext } from '../extension/routes/query-route';
import { runQuery } from '../extension/run-query';
import { readWithin } from '../extension/storage/read-within';
import type { HostUser } from '../host-shim/extension-api';
import { bindNames, type Values, writeNames } from './bind';
import type { Duck } from './duck';
import type { BenchHost } from './host';
import { post } from './post';
import { bodyOf, type SiteIds, valuesOf } from './queries';
import type { BenchQuery } from './queries/bench-query';
import { type DriverWatch, watchDriver } from './request-cost';

export type Rows = readonly (readonly unknown[])[];

export interface Execution {
  readonly ms: number;
  /** What of it is the database's, which ours alone know. */
  readonly database?: DatabaseShare;
  rows(): Rows;
}

export interface DatabaseShare {
  /** With any statement under way: those of authentication and scope too. */
  readonly allMs: number;
  /** The longest statement: the query itself. */
  readonly queryMs: number;
}

export interface Form {
  readonly name: FormName;
  /** Undefined when the time was over. */
  run(query: BenchQuery, days: number): Promise<Execution | undefined>;
}

export const FORM_NAMES = [
  'ours',
  'without rollups',
  'without passes',
  'by hand',
  'DuckDB same',
  'DuckDB best',
] as const;
export type FormName = (typeof FORM_NAMES)[number];

/** The pass that answers from what is kept counted. */
const READ_ROLLUPS = 'read-rollups';

export interface OpenForms {
  readonly forms: readonly Form[];
  close(): Promise<void>;
}

const OVER = 504;

/** All forms over one host; those of DuckDB are missing without it. */
export async function openForms(
  host: BenchHost,
  duck: Duck | undefined,
  sites: SiteIds,
  limitMs: number,
): Promise<OpenForms> {
  const { read } = host.installation.database;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const driver = watchDriver();
  const patience = { seconds: limitMs / 1000, signal: new AbortController().signal };
  const values = (query: BenchQuery, days: number): Values => valuesOf(query, days, sites);
  const inDuck = async (engine: Duck, sql: string, given: Values): Promise<Execution | undefined> => {
    const text = writeNames(sql, given);
    const started = performance.now();
    const rows = await engine.run(text, limitMs);
    return rows && { ms: performance.now() - started, rows: () => rows };
  };
  const duckForms = (engine: Duck): readonly Form[] => [
    { name: 'DuckDB same', run: (query, days) => inDuck(engine, query.duck.same, values(query, days)) },
    { name: 'DuckDB best', run: (query, days) => inDuck(engine, query.duck.best, values(query, days)) },
  ];
  const forms: readonly Form[] = [
    { name: 'ours', run: (query, days) => overHttp(host, agent, driver, query, days) },
    {
      name: 'without rollups',
      run: (query, days) => inProcess({ host, driver, limitMs, without: [READ_ROLLUPS] }, query, days),
    },
    {
      name: 'without passes',
      run: (query, days) =>
        inProcess({ host, driver, limitMs, without: PASSES.map(({ name }) => name) }, query, days),
    },
    {
      name: 'by hand',
      run: (query, days) =>
        readWithin(read, patience, async (connection) => {
          const bound = bindNames(query.hand, values(query, days));
          const started = performance.now();
          const { rows }: { rows: Rows } = await connection.query({ ...bound, rowMode: 'array' });
          return { ms: performance.now() - started, rows: () => rows };
        }),
    },
    ...(duck === undefined ? [] : duckForms(duck)),
  ];
  return {
    forms,
    async close() {
      agent.destroy();
      driver.stop();
    },
  };
}

async function overHttp(
  host: BenchHost,
  agent: http.Agent,
  driver: DriverWatch,
  query: BenchQuery,
  days: number,
): Promise<Execution | undefined> {
  const target = host.target(bodyOf(query, days), query.counted === true ? '?envelope=data' : '');
  const share = shareOf(driver);
  const started = performance.now();
  const { status, text } = await post(target, agent);
  const ms = performance.now() - started;
  const database = share();
  if (status === OVER) return undefined;
  if (status !== 200) throw new Error(`${query.name} over ${days} days: ${status} ${text}`);
  return { ms, database, rows: () => answeredRows(JSON.parse(text)) };
}

/** Begins to watch; the answer says what the database's share has been since. */
function shareOf(driver: DriverWatch): () => DatabaseShare {
  const before = driver.busyMs();
  driver.longestMs();
  return () => ({ allMs: driver.busyMs() - before, queryMs: driver.longestMs() });
}

/** The rows of either envelope; the number of all rows becomes a last column, as in the SQL. */
function answeredRows(body: {
  readonly result?: { readonly rows?: Rows; readonly count?: number };
  readonly data?: readonly object[];
  readonly meta?: { readonly total_count?: number };
}): Rows {
  const { result, data, meta } = body;
  if (data !== undefined) return data.map((row) => [...Object.values(row), meta?.total_count]);
  return result?.rows ?? [[result?.count]];
}

interface InProcess {
  readonly host: BenchHost;
  readonly driver: DriverWatch;
  readonly limitMs: number;
  /** Passes to leave out. */
  readonly without: readonly string[];
}

/** In the process, since no request can ask for it: without HTTP, authentication and JSON. */
async function inProcess(
  { host: { analytics }, driver, limitMs, without }: InProcess,
  query: BenchQuery,
  days: number,
): Promise<Execution | undefined> {
  const user: HostUser = {
    id: 1,
    login: 'bench',
    displayName: 'bench',
    role: 'administrator',
    capabilities: [],
    sites: 'all',
    timezone: 'UTC',
    key: null,
  };
  const contract = await contractOf(analytics, undefined);
  const context = {
    ...queryContext(
      analytics,
      contract,
      user,
      new AbortController().signal,
      query.counted === true ? 'data' : 'result',
    ),
    withoutPasses: without,
    timeoutSeconds: limitMs / 1000,
  };
  const body = bodyOf(query, days);
  const share = shareOf(driver);
  const started = performance.now();
  try {
    const result = await runQuery(body, context);
    const ms = performance.now() - started;
    const total = query.counted === true ? [result.totalCount] : [];
    return {
      ms,
      database: share(),
      rows: () => (result.count === null ? result.rows.map((row) => [...row, ...total]) : [[result.count]]),
    };
  } catch (error) {
    if (error instanceof QueryError && error.status === OVER) return undefined;
    throw error;
  }
}
