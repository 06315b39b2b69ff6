// Owns the forms in which a question is put: ours over HTTP, ours without passes, SQL by hand, DuckDB.
// A query and a range -> one timed execution; what it answered is read after the clock has stopped.
import http from 'node:http';
import { contractOf } from '../extension/analytics';
import { QueryError } from '../extension/errors/query-error';
import { PASSES } from '../extension/qal/plan/plan-query';
import { queryContext } from '../extension/routes/query-route';
import { runQuery } from '../extension/run-query';
import type { HostUser } from '../host-shim/extension-api';
import { bindNames, type Values, writeNames } from './bind';
import type { Duck } from './duck';
import type { BenchHost } from './host';
import { bodyOf, valuesOf } from './queries';
import type { BenchQuery } from './queries/bench-query';
import { type DriverWatch, type Target, watchDriver } from './request-cost';

export type Rows = readonly (readonly unknown[])[];

export interface Execution {
  readonly ms: number;
  /** What of it is the database's, which ours over HTTP alone knows. */
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

export const FORM_NAMES = ['ours', 'without passes', 'by hand', 'DuckDB same', 'DuckDB best'] as const;
export type FormName = (typeof FORM_NAMES)[number];

export interface OpenForms {
  readonly forms: readonly Form[];
  close(): Promise<void>;
}

const CANCELED = '57014';
const OVER = 504;

/** All forms over one host and one DuckDB. `siteId` is the site that the queries ask. */
export async function openForms(
  host: BenchHost,
  duck: Duck,
  siteId: number,
  limitMs: number,
): Promise<OpenForms> {
  const { read } = host.installation.database;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const driver = watchDriver();
  const connection = await read.client.acquireConnection();
  await connection.query("SELECT set_config('statement_timeout', $1, false)", [String(limitMs)]);
  const values = (query: BenchQuery, days: number): Values => valuesOf(query, days, siteId);
  const inDuck = async (sql: string, given: Values): Promise<Execution | undefined> => {
    const text = writeNames(sql, given);
    const started = performance.now();
    const rows = await duck.run(text, limitMs);
    return rows && { ms: performance.now() - started, rows: () => rows };
  };
  const forms: readonly Form[] = [
    { name: 'ours', run: (query, days) => overHttp(host, agent, driver, query, days) },
    { name: 'without passes', run: (query, days) => withoutPasses(host, query, days, limitMs) },
    {
      name: 'by hand',
      async run(query, days) {
        const bound = bindNames(query.hand, values(query, days));
        const started = performance.now();
        try {
          const { rows }: { rows: Rows } = await connection.query({ ...bound, rowMode: 'array' });
          return { ms: performance.now() - started, rows: () => rows };
        } catch (error) {
          if (error instanceof Error && 'code' in error && error.code === CANCELED) return undefined;
          throw error;
        }
      },
    },
    { name: 'DuckDB same', run: (query, days) => inDuck(query.duck.same, values(query, days)) },
    { name: 'DuckDB best', run: (query, days) => inDuck(query.duck.best, values(query, days)) },
  ];
  return {
    forms,
    async close() {
      agent.destroy();
      driver.stop();
      await connection.query('RESET statement_timeout');
      read.client.releaseConnection(connection);
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
  const before = driver.busyMs();
  driver.longestMs();
  const started = performance.now();
  const { status, text } = await post(target, agent);
  const ms = performance.now() - started;
  const database = { allMs: driver.busyMs() - before, queryMs: driver.longestMs() };
  if (status === OVER) return undefined;
  if (status !== 200) throw new Error(`${query.name} over ${days} days: ${status} ${text}`);
  return { ms, database, rows: () => answeredRows(JSON.parse(text)) };
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

/** In the process, since no request can ask for it: without HTTP, authentication and JSON. */
async function withoutPasses(
  { analytics }: BenchHost,
  query: BenchQuery,
  days: number,
  limitMs: number,
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
    withoutPasses: PASSES.map(({ name }) => name),
    timeoutSeconds: limitMs / 1000,
  };
  const body = bodyOf(query, days);
  const started = performance.now();
  try {
    const result = await runQuery(body, context);
    const ms = performance.now() - started;
    const total = query.counted === true ? [result.totalCount] : [];
    return {
      ms,
      rows: () => (result.count === null ? result.rows.map((row) => [...row, ...total]) : [[result.count]]),
    };
  } catch (error) {
    if (error instanceof QueryError && error.status === OVER) return undefined;
    throw error;
  }
}

/** A request on a kept connection; the answer is read whole. */
export function post(
  { url, headers, body }: Target,
  agent: http.Agent,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers, agent }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
