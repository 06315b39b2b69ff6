// The metrics of queries, imports and the column copy.
import type { HostTools, Metric, Telemetry } from '../../host-shim/extension-api';
import type { ImportQueue } from '../data/import/import-queue';
import { countImports } from '../data/import/import-record';
import type { Columns } from '../query/columns/columns';
import { copyLag } from '../query/columns/copy-lag';
import type { QueryQueue } from '../query/query-queue';
import type { RecordedEngine } from '../query/query-records/query-records';

const QUERIES: Metric<'api_version' | 'code' | 'engine'> = {
  name: 'qal_queries_total',
  help: 'Queries that were answered or refused, by API version, error code and engine.',
  labels: ['api_version', 'code', 'engine'],
};

const QUERY_SECONDS: Metric<'engine'> = {
  name: 'qal_query_duration_seconds',
  help: 'Time of answered queries, waiting included.',
  labels: ['engine'],
};

export const TURNED_AWAY: Metric<never> = {
  name: 'qal_queries_turned_away_total',
  help: 'Queries that got no place to run in time.',
  labels: [],
};

const QUEUE: Metric<'queue' | 'state'> = {
  name: 'qal_queue_length',
  help: 'Queries and imports of this server that run, and that wait for their turn.',
  labels: ['queue', 'state'],
};

const IMPORTS: Metric<'status'> = {
  name: 'qal_imports',
  help: 'Recorded imports of all processes, by what became of them.',
  labels: ['status'],
};

const LAST_IMPORT: Metric<never> = {
  name: 'qal_last_import_timestamp_seconds',
  help: 'End of the newest import that succeeded.',
  labels: [],
};

const COPY_READY: Metric<never> = {
  name: 'qal_column_copy_ready',
  help: '1 while the column copy can answer queries.',
  labels: [],
};

const COPY_LAG: Metric<never> = {
  name: 'qal_column_copy_lag_seconds',
  help: 'Age of the oldest change that the column copy lacks; 0 when it is current.',
  labels: [],
};

const COPY_BYTES: Metric<never> = {
  name: 'qal_column_copy_bytes',
  help: 'Size of the column copy on disk.',
  labels: [],
};

const COPY_ROWS: Metric<never> = {
  name: 'qal_column_copy_rows',
  help: 'Rows in the column copy.',
  labels: [],
};

const COPY_LEFT: Metric<never> = {
  name: 'qal_column_copy_sites_left_to_rows',
  help: 'Sites that could not be copied exactly, so that rows answer.',
  labels: [],
};

interface Outcome {
  readonly answeredBy: { readonly engine: RecordedEngine } | null;
  readonly error: { readonly code: string } | null;
}

export function measureQuery(
  { count, observe }: Telemetry,
  version: string,
  { answeredBy, error }: Outcome,
  seconds: number,
): void {
  const engine = answeredBy?.engine ?? 'none';
  count(QUERIES, { api_version: version, code: error?.code ?? 'ok', engine });
  if (error === null) observe(QUERY_SECONDS, { engine }, seconds);
}

/** Read when metrics are scraped. */
interface Watched {
  readonly host: Pick<HostTools, 'database' | 'telemetry'>;
  readonly queue: Pick<QueryQueue<unknown>, 'use'>;
  readonly imports: Pick<ImportQueue, 'use'>;
  readonly columns: () => Columns | undefined;
}

export function watchAnalytics({ host, queue, imports, columns }: Watched): void {
  const { gauge } = host.telemetry;
  const { read } = host.database;
  const one = (value: number | undefined) => (value === undefined ? [] : [{ labels: {}, value }]);
  gauge(QUEUE, () =>
    Object.entries({ queries: queue.use(), imports: imports.use() }).flatMap(
      ([name, { running, waiting }]) => [
        { labels: { queue: name, state: 'running' }, value: running },
        { labels: { queue: name, state: 'waiting' }, value: waiting },
      ],
    ),
  );
  gauge(IMPORTS, async () => {
    const { lastDone: _, ...counts } = await countImports(read);
    return Object.entries(counts).map(([status, value]) => ({ labels: { status }, value }));
  });
  gauge(LAST_IMPORT, async () => {
    const { lastDone } = await countImports(read);
    return lastDone === null ? [] : one(lastDone.getTime() / 1000);
  });
  const status = async () => columns()?.status();
  gauge(COPY_READY, async () => {
    const seen = await status();
    return seen === undefined ? [] : one(seen.state === 'ready' ? 1 : 0);
  });
  gauge(COPY_BYTES, async () => one((await status())?.bytes));
  gauge(COPY_ROWS, async () => one((await status())?.rows));
  gauge(COPY_LEFT, async () => {
    const left = (await status())?.differences.filter(({ isLeftToRows }) => isLeftToRows);
    return one(left && new Set(left.map(({ siteId }) => siteId)).size);
  });
  gauge(COPY_LAG, async () => {
    const seen = await status();
    return seen === undefined
      ? []
      : one(Math.max(0, ...(await copyLag(read, seen)).map(({ seconds }) => seconds)));
  });
}
