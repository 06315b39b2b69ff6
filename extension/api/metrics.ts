// Metrics for queries, imports and the columnar copy.
import {
  type HostTools,
  type Metric,
  type Telemetry,
  unlabeled,
  unlabeledSample,
} from '../../host-shim/extension-api';
import type { ImportQueue } from '../data/import/import-queue';
import { countImports } from '../data/import/import-record';
import type { UploadSpool } from '../data/import/upload-spool';
import type { Workers } from '../data/storage/workers';
import type { Columns } from '../query/columns/columns';
import { copyLag } from '../query/columns/columns-status';
import type { QueryQueue } from '../query/query-queue';
import type { RequestedQuery } from '../query/query-records/query-records';

const QUERIES: Metric<'api_version' | 'code' | 'engine'> = {
  name: 'qal_queries_total',
  help: 'Queries that were answered or rejected, by API version, error code and engine.',
  labels: ['api_version', 'code', 'engine'],
};

const QUERY_SECONDS: Metric<'engine'> = {
  name: 'qal_query_duration_seconds',
  help: 'Time to answer a query, including the wait in the queue.',
  labels: ['engine'],
};

const QUEUE: Metric<'queue' | 'state'> = {
  name: 'qal_queue_length',
  help: 'Queries and imports that are running or waiting on this server.',
  labels: ['queue', 'state'],
};

const IMPORTS: Metric<'status'> = {
  name: 'qal_imports',
  help: 'Recorded imports from all processes, by status.',
  labels: ['status'],
};

const WORKER_UP: Metric<'worker'> = {
  name: 'qal_worker_up',
  help: '1 for each Citus worker that responds, 0 for the others.',
  labels: ['worker'],
};

const SITE_AWAY: Metric<'worker' | 'site'> = {
  name: 'qal_site_unavailable',
  help: '1 for each site whose Citus worker does not respond.',
  labels: ['worker', 'site'],
};

export const TURNED_AWAY = unlabeled(
  'qal_queries_turned_away_total',
  'Queries that were rejected because no slot became free in time.',
);

const UPLOAD_BYTES = unlabeled(
  'qal_upload_bytes',
  'Bytes of uploads that are being received, waiting to be imported, or being imported.',
);

const LAST_IMPORT = unlabeled(
  'qal_last_import_timestamp_seconds',
  'When the newest successful import ended.',
);

const COPY_READY = unlabeled('qal_column_copy_ready', '1 while the columnar copy can answer queries.');

const COPY_LAG = unlabeled(
  'qal_column_copy_lag_seconds',
  'Age of the oldest change that is missing from the columnar copy; 0 when it is current.',
);

const COPY_BYTES = unlabeled('qal_column_copy_bytes', 'Size of the columnar copy on disk.');

const COPY_ROWS = unlabeled('qal_column_copy_rows', 'Rows in the columnar copy.');

const COPY_LEFT = unlabeled(
  'qal_column_copy_sites_left_to_rows',
  'Sites whose queries are answered from rows because they could not be copied exactly.',
);

export function measureQuery(
  { count, observe }: Telemetry,
  version: string,
  { answeredBy, error }: Pick<RequestedQuery, 'answeredBy' | 'error'>,
  seconds: number,
): void {
  const engine = answeredBy?.engine ?? 'none';
  count(QUERIES, { api_version: version, code: error?.code ?? 'ok', engine });
  if (error === null) observe(QUERY_SECONDS, { engine }, seconds);
}

interface Watched {
  readonly host: Pick<HostTools, 'database' | 'telemetry'>;
  readonly queue: Pick<QueryQueue<unknown>, 'use'>;
  readonly imports: Pick<ImportQueue, 'use'>;
  readonly uploads: Pick<UploadSpool, 'use'>;
  readonly columns: () => Columns | undefined;
  readonly workers: Workers;
}

/** Registers the gauges, which are read when metrics are scraped. */
export function watchAnalytics({ host, queue, imports, uploads, columns, workers }: Watched): void {
  const { gauge } = host.telemetry;
  const { read } = host.database;
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
  gauge(UPLOAD_BYTES, () => unlabeledSample(uploads.use().bytes));
  gauge(LAST_IMPORT, async () => {
    const { lastDone } = await countImports(read);
    return unlabeledSample(lastDone === null ? undefined : lastDone.getTime() / 1000);
  });
  gauge(WORKER_UP, () =>
    workers.places.map((worker) => {
      const isAway = workers.away.some(({ place }) => place === worker);
      return { labels: { worker }, value: isAway ? 0 : 1 };
    }),
  );
  gauge(SITE_AWAY, () =>
    workers.away.flatMap(({ place: worker, sites }) =>
      sites.map((site) => ({ labels: { worker, site }, value: 1 })),
    ),
  );
  const status = async () => columns()?.status();
  gauge(COPY_READY, async () => {
    const seen = await status();
    return unlabeledSample(seen && (seen.state === 'ready' ? 1 : 0));
  });
  gauge(COPY_BYTES, async () => unlabeledSample((await status())?.bytes));
  gauge(COPY_ROWS, async () => unlabeledSample((await status())?.rows));
  gauge(COPY_LEFT, async () => {
    const left = (await status())?.differences.filter(({ isLeftToRows }) => isLeftToRows);
    return unlabeledSample(left && new Set(left.map(({ siteId }) => siteId)).size);
  });
  gauge(COPY_LAG, async () => {
    const seen = await status();
    return seen === undefined
      ? []
      : unlabeledSample(Math.max(0, ...(await copyLag(read, seen, workers)).map(({ seconds }) => seconds)));
  });
}
