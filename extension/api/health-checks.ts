// Health checks for imports and stored data, and for the engines that answer queries.
import {
  countOf,
  DAY_MS,
  type Finding,
  formatCount,
  type HealthCheck,
  type HostTools,
  pageAddress,
  type ReadPool,
  type Remedy,
} from '../../host-shim/extension-api';
import { failedSources } from '../data/import/import-record';
import type { UploadSpool } from '../data/import/upload-spool';
import { siteOverview } from '../data/storage/sites/list-sites';
import type { Workers } from '../data/storage/workers';
import { workersCheck } from '../data/storage/workers-check';
import { differenceInWords } from '../query/columns/check-copied';
import type { Columns } from '../query/columns/columns';
import { columnsFolder } from '../query/columns/columns-of-server';
import { type ColumnsStatus, copyLag, readSavedStatus, stateInWords } from '../query/columns/columns-status';
import { checkFollowed } from './followed-logs';
import { checkStorage } from './growth';

const IMPORT_DAYS = 7;
const NEARLY_FULL = 0.9;
const MAX_SHOWN = 3;
/** The copy is normally only seconds behind, except while it is being refilled. */
const COPY_LAG_MINUTES = 10;
/** Allows for the current day, for visits that span two days and are kept whole, and for the time until the next hourly run. */
const RETENTION_GRACE_DAYS = 3;

const COPY_REMEDIES: Readonly<Record<NonNullable<ColumnsStatus['obstacle']> | 'none', Remedy>> = {
  'in use': {
    text: 'Stop the process that has the copy open, or give this server a separate DATA_DIR. The server retries automatically.',
  },
  'not loaded': { text: 'Set QAL_COLUMNS=off, or run the program on a platform that DuckDB supports.' },
  crashed: {
    text: 'The log shows when the server crashed. The system may also have killed it for using too much memory (QAL_COLUMNS_MEMORY_MB). After fixing the cause, rebuild the copy.',
    command: 'qal columns rebuild',
  },
  none: {
    text: 'The server retries automatically. If the problem persists, look for the cause in the log, then rebuild the copy.',
    command: 'qal columns rebuild',
  },
};

const fine = (brief: string): Finding => ({ state: 'fine', brief });

interface Checked {
  readonly host: Pick<HostTools, 'clock' | 'database' | 'dataDir'>;
  readonly settings: { readonly columns: boolean };
  readonly workers: Workers;
  readonly uploads: Pick<UploadSpool, 'use' | 'maxBytes'>;
  readonly columns: () => Columns | undefined;
}

export function analyticsChecks(checked: Checked): readonly HealthCheck[] {
  const { workers } = checked;
  const { clock, database } = checked.host;
  const now = () => clock().getTime();
  return [
    ...(workers.places.length === 0 ? [] : [workersCheck(workers)]),
    { title: 'Column store', isOfServer: true, look: () => checkCopy(checked) },
    { title: 'Imports', look: () => checkImports(database.read, now()) },
    { title: 'Uploads', isOfServer: true, look: async () => checkUploads(checked) },
    { title: 'Clicks and events', look: () => checkWaiting(database.read, workers) },
    { title: 'Followed logs', look: () => checkFollowed(database.read, now()) },
    { title: 'Queries', look: () => checkQueries(database.read, now()) },
    { title: 'Retention', look: () => checkRetention(database.read, workers, now()) },
    { title: 'Storage', look: () => checkStorage(database) },
  ];
}

/** In a command, uses the status that the server last saved. */
async function checkCopy({ columns, settings, host, workers }: Checked): Promise<Finding> {
  if (!settings.columns) return fine('off');
  const status = (await columns()?.status()) ?? (await readSavedStatus(columnsFolder(host.dataDir)));
  if (status === undefined) return fine('none yet');
  if (status.state === 'unavailable')
    return {
      state: status.obstacle === 'crashed' ? 'failing' : 'warning',
      brief: 'unavailable',
      about: `${status.reason ?? 'It cannot be used.'} Meanwhile, queries are answered from rows: same results, but slower.`,
      remedy: COPY_REMEDIES[status.obstacle ?? 'none'],
    };
  const differing = differenceFinding(status, host.clock().getTime());
  if (differing !== undefined) return differing;
  const lags = status.underWay === undefined ? await copyLag(host.database.read, status, workers) : [];
  const behind = lags.filter(({ seconds }) => seconds > COPY_LAG_MINUTES * 60);
  if (behind.length === 0) return fine(stateInWords(status));
  return {
    state: 'warning',
    brief: `behind for more than ${COPY_LAG_MINUTES} minutes`,
    about: `The copy of ${listOf(behind.map(({ trackingId }) => trackingId))} is missing changes that are more than ${COPY_LAG_MINUTES} minutes old. Meanwhile, queries on these sites are answered from rows.`,
    remedy: {
      text: 'Check whether the server is running. If it is, its log shows why it does not refresh the copy.',
      command: 'qal columns status',
    },
  };
}

/**
 * Reports unresolved differences, which affect sites whose queries are answered from rows, or else the differences of the last
 * 24 hours. A difference in a copy that was in use is a failure, because clients may have received wrong answers.
 */
function differenceFinding({ differences }: ColumnsStatus, now: number): Finding | undefined {
  const left = differences.filter(({ isLeftToRows }) => isLeftToRows);
  const recent = differences.filter(({ at }) => now - Date.parse(at) < DAY_MS);
  const shown = left.length > 0 ? left : recent;
  if (shown.length === 0) return undefined;
  const sites = new Set(shown.map(({ trackingId }) => trackingId)).size;
  const wasInUse = shown.some(({ foundBy }) => foundBy !== 'copying');
  const where = shown
    .slice(0, MAX_SHOWN)
    .map((one) => `${one.trackingId}: ${differenceInWords(one)}, ${one.at}.`);
  const [about, text] =
    left.length > 0
      ? [
          'The copied rows differed from PostgreSQL twice. They were not used, and queries on the site are answered from rows.',
          'The server retries hourly. If the difference persists, report it with this text and the log.',
        ]
      : [
          'In the last 24 hours, a comparison found values that differ from PostgreSQL. They were discarded and copied again.',
          'Check the machine for disk and memory errors. If it happens again, report it with this text and the log.',
        ];
  return {
    state: left.length > 0 || wasInUse ? 'failing' : 'warning',
    brief: `differs from PostgreSQL on ${countOf(sites, 'site')}`,
    about: [about, ...where].join(' '),
    remedy: { text, command: 'qal columns status' },
  };
}

async function checkImports(read: ReadPool, now: number): Promise<Finding> {
  const failed = await failedSources(read, new Date(now - IMPORT_DAYS * DAY_MS));
  const [first] = failed;
  if (first === undefined) return fine(`no source's latest import failed in the last ${IMPORT_DAYS} days`);
  const shown = failed
    .slice(0, MAX_SHOWN)
    .map(
      ({ importId, trackingId, material, source, error }) =>
        `Import ${importId}, ${source} as ${material} into ${trackingId}: ${error}`,
    );
  const more =
    failed.length > MAX_SHOWN
      ? [`Other sources whose latest import failed: ${failed.length - MAX_SHOWN}.`]
      : [];
  return {
    state: 'warning',
    brief: `the latest import failed for ${countOf(failed.length, 'source')}`,
    about: [...shown, ...more].join(' '),
    remedy: {
      text: 'Failed imports store no rows: correct the file, then import it again.',
      page:
        failed.length === 1
          ? { address: pageAddress('imports', first.importId), title: `Import ${first.importId}` }
          : { address: pageAddress('imports'), title: 'Imports' },
      command: `qal imports show ${first.importId}`,
    },
  };
}

/** Commands receive no uploads, so they always report none. */
function checkUploads({ uploads: { use, maxBytes } }: Pick<Checked, 'uploads'>): Finding {
  const { uploads, bytes } = use();
  if (uploads === 0) return fine('none in this process');
  const brief = `${countOf(uploads, 'upload')} under way, ${megabytes(bytes)} of ${megabytes(maxBytes)} MB`;
  if (bytes < maxBytes * NEARLY_FULL) return fine(brief);
  return {
    state: 'warning',
    brief,
    about:
      'There is little space left for uploads until the current ones are imported; uploads that do not fit are rejected.',
    remedy: { text: 'Send fewer files at a time, or allow more megabytes on disk (QAL_SPOOL_MB).' },
  };
}

const megabytes = (bytes: number): string => formatCount(Math.ceil(bytes / 2 ** 20));

async function checkWaiting(read: ReadPool, { reachable }: Workers): Promise<Finding> {
  const [found] = await read.query<{ waiting: number; since: string | null }>({
    text: `SELECT count(*)::float8 AS waiting, to_char(min(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS since
             FROM analytics.waiting_row WHERE row_id IS NULL AND ($1::int[] IS NULL OR site_id = ANY($1))`,
    values: [reachable],
  });
  const { waiting = 0, since = null } = found ?? {};
  if (waiting === 0) return fine('none are waiting for their page view');
  return fine(
    `${formatCount(waiting)} waiting for their page view${since === null ? '' : `, the oldest since ${since}`}`,
  );
}

async function checkQueries(read: ReadPool, now: number): Promise<Finding> {
  const [counts] = await read.query<{ failed: number; refused: number }>({
    text: `SELECT count(*) FILTER (WHERE status = 500)::integer AS failed, count(*) FILTER (WHERE status = 503)::integer AS refused
             FROM analytics.query_record WHERE asked_at >= $1`,
    values: [new Date(now - DAY_MS)],
  });
  const { failed = 0, refused = 0 } = counts ?? {};
  if (failed + refused === 0) return fine('no internal errors in the last 24 hours');
  const about = [
    ...(failed === 0 ? [] : [`${countOf(failed, 'query', 'queries')} failed because of an internal error.`]),
    ...(refused === 0
      ? []
      : [
          `${countOf(refused, 'query', 'queries')} got no answer because too many were running or the database was unavailable.`,
        ]),
  ];
  return {
    state: 'warning',
    brief: `${failed} failed and ${refused} rejected in 24 hours`,
    about: about.join(' '),
    remedy: {
      text: 'The log has the cause of each failure. If queries are rejected because too many are running, allow more to run at the same time (QAL_QUERIES_AT_ONCE).',
      page: { address: pageAddress('queries'), title: 'Queries' },
    },
  };
}

async function checkRetention(read: ReadPool, workers: Workers, now: number): Promise<Finding> {
  const sites = await siteOverview(read, 'all', workers);
  if (sites.every(({ retentionDays }) => retentionDays === null)) return fine('no site has a limit');
  const overdue = sites.filter(
    ({ firstView, retentionDays: days }) =>
      firstView !== null &&
      days !== null &&
      now - firstView.getTime() > (days + RETENTION_GRACE_DAYS) * DAY_MS,
  );
  if (overdue.length === 0) return fine('no visits are overdue for removal');
  return {
    state: 'warning',
    brief: `overdue on ${countOf(overdue.length, 'site')}`,
    about: `Some visits on ${listOf(overdue.map(({ trackingId }) => trackingId))} are older than the site's retention limit.`,
    remedy: {
      text: 'A running server removes them hourly. If they remain while it is running, its log shows why.',
      page: { address: pageAddress('sites'), title: 'Sites' },
    },
  };
}

const listOf = (names: readonly string[]): string =>
  names.length <= MAX_SHOWN
    ? names.join(', ')
    : `${names.slice(0, MAX_SHOWN).join(', ')} and ${names.length - MAX_SHOWN} more`;
