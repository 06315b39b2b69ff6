// Keeps the last queries of each user, application password and asking page, for the page that shows them.
// A query waits for nothing here: records are written together a little later, and a failure costs them and a log line.
import type { Knex } from 'knex';
import { z } from 'zod';
import type { HostRequest, HostUser, Log } from '../../host-shim/extension-api';

/** What became of a query. */
export interface AskedQuery {
  readonly askedAt: Date;
  readonly user: HostUser;
  /** As `askingPage` gives it. */
  readonly page: AskingPage | null;
  /** Of the contract. */
  readonly version: string;
  readonly body: string;
  readonly milliseconds: number;
  readonly status: number;
  /** Of the answer; null for a count and for an error. */
  readonly rowCount: number | null;
  readonly error: {
    readonly code: string;
    readonly at: string | undefined;
    readonly message: string;
  } | null;
}

export interface QueryRecords {
  /** Returns at once. */
  add(query: AskedQuery): void;
  /** Writes what is waiting. Never rejects. */
  settle(): Promise<void>;
}

export interface QueryRecordOptions {
  readonly write: Knex;
  readonly log: Log;
}

/** Pages that ask much by themselves say so: what they ask does not push out what a person asked. */
export const ASKING_PAGES = ['dashboard'] as const;
export type AskingPage = (typeof ASKING_PAGES)[number];

/**
 * The page that a call says it comes from; null without a session, and for any word but these. It only labels the record:
 * whatever the header says, the record is made.
 */
export const askingPage = ({ key }: HostUser, headers: HostRequest['headers']): AskingPage | null =>
  key === null ? (ASKING_PAGES.find((page) => page === headers['x-qal-page']) ?? null) : null;

/** So many are kept of each user, key and asking page. */
export const KEPT_RECORDS = 200;
/** And so many of all keys of a user together: a program may make itself a key for each run, and revoke it. */
export const KEPT_OF_KEYS = 1_000;
/** A longer query is recorded without its text. */
export const LONGEST_KEPT_BODY = 100_000;
/** What a query says of itself, and what is said of its fault, is cut there: lists show hundreds of them. */
const LONGEST_NAME = 200;
const LONGEST_MESSAGE = 2_000;
/** Beyond this the database is too slow, or away: what comes then is not recorded. */
const MOST_WAITING = 1_000;
const WAIT_MS = 200;

/** What a query says of itself, where it can be read at all. */
const sayingSchema = z.looseObject({
  tracking_id: z.string().nullable().catch(null).default(null),
  result: z.looseObject({ use: z.string().nullable().catch(null).default(null) }).catch({ use: null }),
});

function sayingsOf(body: string): { trackingId: string | null; view: string | null } {
  try {
    const { qal, ...bare }: Record<string, unknown> = JSON.parse(body);
    const { tracking_id, result } = sayingSchema.parse(qal ?? bare);
    return { trackingId: tracking_id, view: result.use };
  } catch {
    return { trackingId: null, view: null };
  }
}

/** PostgreSQL has no place for the character NUL in a text. */
const storable = (text: string | null): string | null => text?.replaceAll('\0', '\ufffd') ?? null;

/** Whole characters of a text, with dots where some are left out. */
function cutAt(longest: number, text: string | null): string | null {
  if (text === null || text.length <= longest) return storable(text);
  return storable(`${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}...`);
}

function rowOf(query: AskedQuery) {
  const { askedAt, user, page, version, body, milliseconds, status, rowCount, error } = query;
  const { trackingId, view } = sayingsOf(body);
  return {
    asked_at: askedAt,
    user_id: user.id,
    login: user.login,
    key_uuid: user.key?.uuid ?? null,
    key_name: user.key?.name ?? null,
    page,
    version,
    tracking_id: cutAt(LONGEST_NAME, trackingId),
    view: cutAt(LONGEST_NAME, view),
    body: body.length > LONGEST_KEPT_BODY ? '' : storable(body),
    row_count: rowCount,
    milliseconds,
    status,
    error_code: error?.code ?? null,
    error_at: cutAt(LONGEST_NAME, error?.at ?? null),
    error_message: cutAt(LONGEST_MESSAGE, error?.message ?? null),
  };
}

type QueryRow = ReturnType<typeof rowOf>;

/** What a person asked on the pages is counted apart from what the keys asked, so that no program pushes it out. */
const FORGET_OLDER = `
  DELETE FROM analytics.query_record old
   USING (SELECT query_id, place,
                 row_number() OVER (PARTITION BY user_id, key_uuid IS NULL, place > :kept ORDER BY query_id DESC) AS of_user
            FROM (SELECT query_id, user_id, key_uuid,
                         row_number() OVER (PARTITION BY user_id, key_uuid, page ORDER BY query_id DESC) AS place
                    FROM analytics.query_record WHERE user_id = ANY(:users)) placed) ranked
   WHERE old.query_id = ranked.query_id AND (ranked.place > :kept OR ranked.of_user > :keptOfKeys)`;

async function writeRecords(write: Knex, rows: readonly QueryRow[]): Promise<void> {
  await write.withSchema('analytics').from('query_record').insert(rows);
  const users = [...new Set(rows.map(({ user_id }) => user_id))];
  await write.raw(FORGET_OLDER, { users, kept: KEPT_RECORDS, keptOfKeys: KEPT_OF_KEYS });
}

export function createQueryRecords({ write, log }: QueryRecordOptions): QueryRecords {
  let waiting: QueryRow[] = [];
  let refused = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function writeWaiting(): Promise<void> {
    const rows = waiting;
    const lost = refused;
    waiting = [];
    refused = 0;
    if (lost > 0) log.warn({ lost }, 'More queries were asked than could be recorded.');
    if (rows.length === 0) return;
    try {
      await writeRecords(write, rows);
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
      if (waiting.length >= MOST_WAITING) {
        refused += 1;
        return;
      }
      // As the row has it: a body that is too long to be kept is not held until then either.
      waiting.push(rowOf(query));
      // Whoever stops settles first, so the timer need not keep the program alive.
      timer ??= setTimeout(settle, WAIT_MS).unref();
    },
    settle,
  };
}
