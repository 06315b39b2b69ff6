// Records the latest queries by each user, application password and page. Records are written in batches in the background. If a
// write fails, the batch is lost and the failure is logged.
import type { Knex } from 'knex';
import type { HostRequest, HostUser, Log } from '../../../host-shim/extension-api';
import type { QueryDocument } from '../../language/parse/read-document';
import type { Engine } from '../../language/types/engine';
import { valueAt } from '../../language/types/json';
import type { Path } from '../../language/types/path';
import { queryText } from './query-text';

export type RecordedEngine = Engine | 'cache';

export interface RequestedQuery {
  readonly requestedAt: Date;
  readonly user: HostUser;
  readonly requestId: string;
  /** Empty if the address cannot be read. */
  readonly callerAddress: string;
  readonly page: AskingPage | null;
  readonly version: string;
  readonly document: QueryDocument;
  readonly milliseconds: number;
  readonly status: number;
  /** Null for a count or an error. */
  readonly rowCount: number | null;
  readonly answeredBy: { readonly engine: RecordedEngine; readonly because: string } | null;
  readonly error: {
    readonly code: string;
    readonly at: string | undefined;
    readonly message: string;
  } | null;
}

export interface QueryRecords {
  add(query: RequestedQuery): void;
  /** Writes all pending records. Never rejects. */
  settle(): Promise<void>;
}

interface QueryRecordOptions {
  readonly write: Knex;
  readonly log: Log;
  /** How many days to keep records; undefined = keep a fixed number of each user's newest records. */
  readonly days?: number | undefined;
  /** The maximum number of records for all users together. */
  readonly maxRecords: number;
  /** Whether the query text in the dataset includes filter values. */
  readonly withValues?: boolean;
}

/** Pages that send many queries automatically. They have a separate limit, so that their records do not displace others. */
export const REQUESTING_PAGES = ['dashboard'] as const;
type AskingPage = (typeof REQUESTING_PAGES)[number];

/** The page that the request claims to come from, which only labels the record. Null without a session and for unknown pages. */
export const requestingPage = ({ key }: HostUser, headers: HostRequest['headers']): AskingPage | null =>
  key === null ? (REQUESTING_PAGES.find((page) => page === headers['x-qal-page']) ?? null) : null;

/** The limit for each combination of user, key and page. */
export const MAX_RECORDS = 200;
/** The limit for all of a user's keys together, because a program may create a new key for each run. */
export const MAX_RECORDS_OF_KEYS = 1_000;
/** A longer query is recorded without its text. */
export const MAX_RECORDED_BODY_LENGTH = 100_000;
/** Names and messages are truncated, because lists show hundreds of them. */
const MAX_NAME_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 2_000;
/** If more records are pending, the database is too slow or unreachable, and further queries are not recorded. */
const MAX_PENDING = 1_000;
/** In characters: writing much more text at once would block the event loop for seconds, or even exceed the maximum string length. */
const MAX_PENDING_TEXT = 5_000_000;
const WAIT_MS = 200;

function textAt({ query }: QueryDocument, path: Path): string | null {
  const value = query === null ? undefined : valueAt(query, path);
  return typeof value === 'string' ? value : null;
}

/** PostgreSQL cannot store NUL characters or lone surrogates in text. */
const storable = (text: string | null): string | null =>
  text?.toWellFormed().replaceAll('\0', '\ufffd') ?? null;

/** Truncates text without splitting a character. */
function truncated(maxLength: number, text: string | null): string | null {
  if (text === null || text.length <= maxLength) return storable(text);
  return storable(`${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}...`);
}

function rowOf(query: RequestedQuery, withValues: boolean) {
  const { user, document, answeredBy, error } = query;
  const isLong = document.text.length > MAX_RECORDED_BODY_LENGTH;
  return {
    asked_at: query.requestedAt,
    user_id: user.id,
    login: user.login,
    key_uuid: user.key?.uuid ?? null,
    key_name: user.key?.name ?? null,
    caller_address: query.callerAddress || null,
    request_id: query.requestId,
    page: query.page,
    version: query.version,
    tracking_id: truncated(MAX_NAME_LENGTH, textAt(document, ['tracking_id'])),
    view: truncated(MAX_NAME_LENGTH, textAt(document, ['result', 'use'])),
    body: isLong ? '' : storable(document.text),
    query: isLong || !wasUnderstood(query) ? null : storable(queryText(document, withValues)),
    row_count: query.rowCount,
    milliseconds: query.milliseconds,
    engine: answeredBy?.engine ?? null,
    engine_reason: answeredBy?.because ?? null,
    status: query.status,
    error_code: error?.code ?? null,
    error_at: truncated(MAX_NAME_LENGTH, error?.at ?? null),
    error_message: truncated(MAX_MESSAGE_LENGTH, error?.message ?? null),
  };
}

/** Errors in queries that were already running. After any other error, the query may be malformed and contain values anywhere. */
const WHILE_RUNNING = ['E_TIMEOUT', 'client_left'];

const wasUnderstood = ({ error }: RequestedQuery): boolean =>
  error === null || WHILE_RUNNING.includes(error.code);

type QueryRow = ReturnType<typeof rowOf>;

/** Queries from pages and queries by key are counted separately, so that programs do not displace queries from pages. */
const FORGET_OLDER = `
  DELETE FROM analytics.query_record old
   USING (SELECT query_id, place,
                 row_number() OVER (PARTITION BY user_id, key_uuid IS NULL, place > :maxOfUser ORDER BY query_id DESC) AS of_user
            FROM (SELECT query_id, user_id, key_uuid,
                         row_number() OVER (PARTITION BY user_id, key_uuid, page ORDER BY query_id DESC) AS place
                    FROM analytics.query_record WHERE user_id = ANY(:users)) placed) ranked
   WHERE old.query_id = ranked.query_id AND (ranked.place > :maxOfUser OR ranked.of_user > :maxOfKeys)`;

/** Deletes by id, which needs only an index. A rolled-back insert leaves a gap in the ids, so slightly fewer records are kept. */
const FORGET_BEYOND = `
  DELETE FROM analytics.query_record
   WHERE query_id <= (SELECT max(query_id) FROM analytics.query_record) - ?`;

async function writeRecords(
  { write, days, maxRecords }: QueryRecordOptions,
  rows: readonly QueryRow[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join();
  // As a single value: Knex and the driver would take longer to prepare twenty values per row than PostgreSQL takes to store them.
  await write.raw(
    `INSERT INTO analytics.query_record (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::analytics.query_record, ?)`,
    [JSON.stringify(rows)],
  );
  await write.raw(FORGET_BEYOND, [maxRecords]);
  if (days !== undefined) return;
  const users = [...new Set(rows.map(({ user_id }) => user_id))];
  await write.raw(FORGET_OLDER, { users, maxOfUser: MAX_RECORDS, maxOfKeys: MAX_RECORDS_OF_KEYS });
}

export function createQueryRecords(options: QueryRecordOptions): QueryRecords {
  const { log, withValues = false } = options;
  let waiting: QueryRow[] = [];
  let waitingText = 0;
  let refused = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function writeWaiting(): Promise<void> {
    const rows = waiting;
    const lost = refused;
    waiting = [];
    waitingText = 0;
    refused = 0;
    if (lost > 0) log.warn({ lost }, 'There were more queries than could be recorded.');
    if (rows.length === 0) return;
    try {
      await writeRecords(options, rows);
    } catch (error) {
      log.error({ err: error, lost: rows.length }, 'Queries could not be recorded.');
    }
  }

  function settle(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeWaiting);
    return writing;
  }

  return {
    add(query) {
      if (waiting.length >= MAX_PENDING || waitingText >= MAX_PENDING_TEXT) {
        refused += 1;
        return;
      }
      // The row is built immediately, so that a body that is too long to record does not stay in memory.
      const row = rowOf(query, withValues);
      waiting.push(row);
      waitingText += row.body?.length ?? 0;
      // The program calls `settle` before it stops, so the timer does not have to keep it alive.
      timer ??= setTimeout(settle, WAIT_MS).unref();
    },
    settle,
  };
}
