// What can be wrong with the measured data and with what answers queries.
import {
  countOf,
  DAY_MS,
  type Finding,
  type HealthCheck,
  pageAddress,
  type Remedy,
} from '../../host-shim/extension-api';
import { gapCommand, openGaps } from '../data/import/followed-files';
import { failedSources } from '../data/import/import-record';
import { differenceInWords } from '../query/columns/check-copied';
import { columnsFolder } from '../query/columns/columns-of-server';
import { type ColumnsStatus, readSavedStatus } from '../query/columns/columns-status';
import { stateInWords } from '../query/columns/copy-in-words';
import { copyLag } from '../query/columns/copy-lag';
import type { Analytics } from './analytics';

const IMPORTS_LOOKED_AT_DAYS = 7;
const MOST_SHOWN = 3;
/** The copy follows within seconds, unless it is being filled again. */
const COPY_LAG_MINUTES = 10;
/** A round of the removal is due once in an hour, and visits go by whole days. */
const RETENTION_GRACE_DAYS = 2;

const COPY_REMEDIES: Readonly<Record<NonNullable<ColumnsStatus['obstacle']> | 'none', Remedy>> = {
  'in use': {
    text: 'End the process that has it open, or give this server a DATA_DIR of its own. The server tries again by itself.',
  },
  'not loaded': { text: 'Set QAL_COLUMNS=off, or run the program on a platform that DuckDB supports.' },
  crashed: {
    text: 'The log says where the server ended; a machine that kills it for its memory is a reason, too (QAL_COLUMNS_MEMORY_MB). Then throw the copy away to have a new one.',
    command: 'qal columns rebuild',
  },
  none: {
    text: 'The server tries again by itself. If that does not help, the log says why it fails; throw the copy away to have a new one.',
    command: 'qal columns rebuild',
  },
};

const fine = (brief: string): Finding => ({ state: 'fine', brief });

export const analyticsChecks = (analytics: Analytics): readonly HealthCheck[] => [
  { title: 'Column copy', look: () => lookAtCopy(analytics) },
  { title: 'Imports', look: () => lookAtImports(analytics) },
  { title: 'Followed logs', look: () => lookAtGaps(analytics) },
  { title: 'Queries', look: () => lookAtQueries(analytics) },
  { title: 'Retention', look: () => lookAtRetention(analytics) },
];

/** A command reads the status that the server with the copy saved last. */
async function lookAtCopy({
  columns,
  settings,
  host,
}: Pick<Analytics, 'columns' | 'settings' | 'host'>): Promise<Finding> {
  if (!settings.columns) return fine('off');
  const status = (await columns()?.status()) ?? (await readSavedStatus(columnsFolder(host.dataDir)));
  if (status === undefined) return fine('none yet');
  const brief = stateInWords(status);
  if (status.state === 'unavailable')
    return {
      ...{ state: status.obstacle === 'crashed' ? 'failing' : 'warning', brief: 'unavailable' },
      about: `${status.reason ?? 'It cannot be used.'} Queries are answered from rows meanwhile: equal answers, but slower.`,
      remedy: COPY_REMEDIES[status.obstacle ?? 'none'],
    };
  const differing = differenceFinding(status, host.clock().getTime());
  if (differing !== undefined) return differing;
  const behind = status.underWay === undefined ? await sitesBehind(host, status) : [];
  if (behind.length === 0) return fine(brief);
  return {
    ...{ state: 'warning', brief: `behind for more than ${COPY_LAG_MINUTES} minutes` },
    about: `The copy of ${listOf(behind)} lacks changes that are older than ${COPY_LAG_MINUTES} minutes. Queries of it are answered from rows meanwhile.`,
    remedy: {
      text: 'See in the log why the server does not copy, or whether it runs.',
      command: 'qal columns status',
    },
  };
}

/** A site that cannot be copied exactly is failing, and so is a copy that was in use; it is shown for a day. */
function differenceFinding({ differences }: ColumnsStatus, now: number): Finding | undefined {
  const left = differences.filter(({ isLeftToRows }) => isLeftToRows);
  const recent = differences.filter(({ at }) => now - Date.parse(at) < DAY_MS);
  const shown = left.length > 0 ? left : recent;
  if (shown.length === 0) return undefined;
  const sites = listOf([...new Set(shown.map(({ trackingId }) => trackingId))]);
  // Clients may have wrong answers.
  const wasInUse = shown.some(({ foundBy }) => foundBy !== 'copying');
  const where = shown
    .slice(0, MOST_SHOWN)
    .map((one) => `${one.trackingId}: ${differenceInWords(one)}, ${one.at}.`);
  return {
    ...{
      state: left.length > 0 || wasInUse ? 'failing' : 'warning',
      brief: `differs from PostgreSQL in ${sites}`,
    },
    about: `${
      left.length > 0
        ? 'What was copied was not what PostgreSQL has, twice. It was not used, and queries of the site are answered from rows.'
        : 'A comparison in the last 24 hours found values that were not as in PostgreSQL. They were thrown away and copied again.'
    } ${where.join(' ')}`,
    remedy: {
      text:
        left.length > 0
          ? 'The server tries again once an hour. If it stays, report it with this text and the log.'
          : 'Look for faults of the disk or memory of the machine. If it comes again, report it with this text and the log.',
      command: 'qal columns status',
    },
  };
}

async function sitesBehind(
  { database }: Analytics['host'],
  status: ColumnsStatus,
): Promise<readonly string[]> {
  const lags = await copyLag(database.read, status);
  return lags.filter(({ seconds }) => seconds > COPY_LAG_MINUTES * 60).map(({ trackingId }) => trackingId);
}

async function lookAtImports({ host: { database, clock } }: Pick<Analytics, 'host'>): Promise<Finding> {
  const since = new Date(clock().getTime() - IMPORTS_LOOKED_AT_DAYS * DAY_MS);
  const failed = await failedSources(database.read, since);
  const [first] = failed;
  if (first === undefined)
    return fine(`the last of each source did not fail within ${IMPORTS_LOOKED_AT_DAYS} days`);
  const shown = failed
    .slice(0, MOST_SHOWN)
    .map(
      ({ importId, trackingId, material, source, error }) =>
        `Import ${importId}, ${source} as ${material} into ${trackingId}: ${error}`,
    );
  return {
    ...{ state: 'warning', brief: `the last of ${countOf(failed.length, 'source')} failed` },
    about: [
      ...shown,
      ...(failed.length > MOST_SHOWN ? [`And ${failed.length - MOST_SHOWN} more.`] : []),
    ].join(' '),
    remedy: {
      text: 'Nothing of a failed import was stored: correct the file and import it again.',
      page:
        failed.length === 1
          ? { address: pageAddress('imports', first.importId), title: `Import ${first.importId}` }
          : { address: pageAddress('imports'), title: 'Imports' },
      command: `qal imports show ${first.importId}`,
    },
  };
}

async function lookAtGaps({ host: { database } }: Pick<Analytics, 'host'>): Promise<Finding> {
  const gaps = await openGaps(database.read);
  const [first] = gaps;
  if (first === undefined) return fine('no gap');
  const { path, position, trackingId, foundAt } = first;
  const others = gaps.length === 1 ? '' : ` And ${countOf(gaps.length - 1, 'other gap')}.`;
  return {
    ...{ state: 'failing', brief: countOf(gaps.length, 'gap') },
    about: `${path} of ${trackingId} was rotated away before it was read: what it had behind byte ${position} is missing, as was found at ${foundAt.toISOString()}.${others}`,
    remedy: {
      text: `Import it from the file in which it is now; rows that are stored already are not stored twice. If that file is lost: qal imports close-gap ${first.gapId}`,
      command: gapCommand(first),
    },
  };
}

/** Of the records that are still there. */
async function lookAtQueries({ host: { database, clock } }: Pick<Analytics, 'host'>): Promise<Finding> {
  const [counts] = await database.read.query<{ failed: number; refused: number }>({
    text: `SELECT count(*) FILTER (WHERE status = 500)::integer AS failed, count(*) FILTER (WHERE status = 503)::integer AS refused
             FROM analytics.query_record WHERE asked_at >= $1`,
    values: [new Date(clock().getTime() - DAY_MS)],
  });
  const { failed = 0, refused = 0 } = counts ?? {};
  if (failed + refused === 0) return fine('no internal error within 24 hours');
  const said = [
    ...(failed === 0 ? [] : [`${countOf(failed, 'query', 'queries')} failed by a fault of the program.`]),
    ...(refused === 0
      ? []
      : [
          `${countOf(refused, 'query', 'queries')} could not be answered at the moment: too many ran, or the database was away.`,
        ]),
  ];
  return {
    ...{ state: 'warning', brief: `${failed} failed and ${refused} refused in 24 hours` },
    about: said.join(' '),
    remedy: {
      text: 'The log has the cause of each failure. If queries are refused for others that run, allow more at once (QAL_QUERIES_AT_ONCE).',
      page: { address: pageAddress('queries'), title: 'Queries' },
    },
  };
}

async function lookAtRetention({ host: { database, clock } }: Pick<Analytics, 'host'>): Promise<Finding> {
  const sites = await database.read.query<{ trackingId: string; oldest: Date | null; days: number }>({
    text: `SELECT tracking_id AS "trackingId", retention_days AS days,
                  (SELECT min(v.at) FROM analytics.page_view v WHERE v.site_id = d.site_id) AS oldest
             FROM analytics.site s JOIN analytics.site_version d USING (site_id) WHERE retention_days IS NOT NULL ORDER BY 1`,
  });
  if (sites.length === 0) return fine('no site has a limit');
  const overdue = sites.filter(
    ({ oldest, days }) =>
      oldest !== null && clock().getTime() - oldest.getTime() > (days + RETENTION_GRACE_DAYS) * DAY_MS,
  );
  if (overdue.length === 0) return fine('visits are removed in time');
  return {
    ...{ state: 'warning', brief: `due in ${countOf(overdue.length, 'site')}` },
    about: `Visits of ${listOf(overdue.map(({ trackingId }) => trackingId))} are older than the site keeps them.`,
    remedy: {
      text: 'A running server removes them once an hour. If it runs and they stay, its log says why.',
      page: { address: pageAddress('sites'), title: 'Sites' },
    },
  };
}

const listOf = (names: readonly string[]): string =>
  names.length <= MOST_SHOWN
    ? names.join(', ')
    : `${names.slice(0, MOST_SHOWN).join(', ')} and ${names.length - MOST_SHOWN} more`;
