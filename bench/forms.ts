// The forms of a query: our program over HTTP with the columnar copy, our program with the rows engine, hand-written SQL, and two forms in
// DuckDB. Each run is one timed execution; its rows are read after the timer has stopped.
import http from 'node:http';
import { contractOf } from '../extension/api/analytics';
import { queryContext } from '../extension/api/routes/query-route';
import { readWithin } from '../extension/data/storage/read-within';
import { QueryError } from '../extension/language/errors/query-error';
import { readDocument } from '../extension/language/parse/read-document';
import { runQuery, wholeAnswer } from '../extension/query/run-query';
import type { HostUser } from '../host-shim/extension-api';
import type { Duck } from './duck';
import { forDuck, forPostgres } from './engine-sql';
import type { BenchHost } from './host';
import { send } from './http-client';
import { bodyOf, type SiteIds, valuesOf } from './queries';
import type { BenchQuery, Sql } from './queries/bench-query';
import { type EngineShare, type EngineWatch, watchEngines } from './watch-engines';

export type Rows = readonly (readonly unknown[])[];

export interface Execution {
  readonly ms: number;
  /** The part of the time that the engine takes; known only for `columns` and `rows`. */
  readonly share?: EngineShare;
  rows(): Rows;
}

export interface Form {
  readonly name: FormName;
  /** Returns undefined if the time limit is exceeded. */
  run(query: BenchQuery, days: number): Promise<Execution | undefined>;
}

export const FORM_NAMES = ['columns', 'rows', 'by hand', 'DuckDB same', 'DuckDB best'] as const;
export type FormName = (typeof FORM_NAMES)[number];

interface OpenForms {
  readonly forms: readonly Form[];
  close(): void;
}

const TIMEOUT_STATUS = 504;

/** The time limit per execution. */
export const LIMIT_MS = 20_000;

/** All forms on one host; only `columns` if `duck` is undefined. */
export function openForms(host: BenchHost, duck: Duck | undefined, sites: SiteIds): OpenForms {
  const { read } = host.installation.database;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const watch = watchEngines();
  const patience = { seconds: LIMIT_MS / 1000, signal: new AbortController().signal };
  const inDuck = (engine: Duck, name: FormName, sqlOf: (query: BenchQuery) => Sql): Form => ({
    name,
    async run(query, days) {
      const text = forDuck(sqlOf(query), valuesOf(query, days, sites));
      const started = performance.now();
      const rows = await engine.run(text, LIMIT_MS);
      return rows && { ms: performance.now() - started, rows: () => rows };
    },
  });
  const byHand: Form = {
    name: 'by hand',
    run: (query, days) =>
      readWithin(read, patience, async (connection) => {
        await connection.query('SET LOCAL search_path TO analytics');
        const bound = forPostgres(query.best, valuesOf(query, days, sites));
        const started = performance.now();
        const { rows }: { rows: Rows } = await connection.query({ ...bound, rowMode: 'array' });
        return { ms: performance.now() - started, rows: () => rows };
      }),
  };
  return {
    forms: [
      { name: 'columns', run: (query, days) => overHttp(host, agent, watch, query, days) },
      ...(duck === undefined
        ? []
        : [
            {
              name: 'rows' as const,
              run: (query: BenchQuery, days: number) => fromRows(host, watch, query, days),
            },
            byHand,
            inDuck(duck, 'DuckDB same', ({ plain }) => plain),
            inDuck(duck, 'DuckDB best', ({ best }) => best),
          ]),
    ],
    close() {
      agent.destroy();
      watch.stop();
    },
  };
}

async function overHttp(
  host: BenchHost,
  agent: http.Agent,
  watch: EngineWatch,
  query: BenchQuery,
  days: number,
): Promise<Execution | undefined> {
  const target = host.target(bodyOf(query, days), query.counted === true ? '?envelope=data' : '');
  const share = watch.measure();
  const started = performance.now();
  const { status, text } = await send(target, agent);
  const ms = performance.now() - started;
  const shares = share();
  if (status === TIMEOUT_STATUS) return undefined;
  if (status !== 200) throw new Error(`${query.name} over ${days} days: ${status} ${text}`);
  if (shares.columnsMs === 0)
    throw new Error(`${query.name} over ${days} days was not answered from columns.`);
  return { ms, share: shares, rows: () => answeredRows(JSON.parse(text)) };
}

/** The rows of either envelope, with the total number of rows as an additional last column, as in the SQL. */
function answeredRows(body: {
  readonly result?: { readonly rows?: Rows; readonly count?: number };
  readonly data?: readonly object[];
  readonly meta?: { readonly total_count?: number };
}): Rows {
  const { result, data, meta } = body;
  if (data !== undefined) return data.map((row) => [...Object.values(row), meta?.total_count]);
  return result?.rows ?? [[result?.count]];
}

const USER: HostUser = {
  id: 1,
  login: 'bench',
  displayName: 'bench',
  role: 'administrator',
  capabilities: [],
  sites: 'all',
  timezone: 'UTC',
  key: null,
};

/** Runs in this process without HTTP, authentication or JSON, since a request cannot choose the rows engine. */
async function fromRows(
  { analytics }: BenchHost,
  watch: EngineWatch,
  query: BenchQuery,
  days: number,
): Promise<Execution | undefined> {
  const contract = await contractOf(analytics, undefined);
  const envelope = query.counted === true ? 'data' : 'result';
  const context = {
    ...(await queryContext(
      analytics,
      contract,
      { user: USER, signal: new AbortController().signal },
      envelope,
    )),
    timeoutSeconds: LIMIT_MS / 1000,
  };
  const body = bodyOf(query, days);
  const share = watch.measure();
  const started = performance.now();
  try {
    const result = await wholeAnswer(await runQuery(readDocument(body), context));
    const ms = performance.now() - started;
    const total = query.counted === true ? [result.totalCount] : [];
    return {
      ms,
      share: share(),
      rows: () => (result.count === null ? result.rows.map((row) => [...row, ...total]) : [[result.count]]),
    };
  } catch (error) {
    if (error instanceof QueryError && error.status === TIMEOUT_STATUS) return undefined;
    throw error;
  }
}
