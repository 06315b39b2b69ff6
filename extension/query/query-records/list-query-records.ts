// Reads query records.
import type { ReadPool } from '../../../host-shim/extension-api';
import { analytics, rawSql } from '../../data/storage/build-query';
import type { RecordedEngine } from './query-records';

export interface QueryRecord {
  readonly id: number;
  readonly requestedAt: Date;
  readonly login: string;
  readonly keyUuid: string | null;
  readonly keyName: string | null;
  /** Null if the address could not be read, and for records older than this field. */
  readonly callerAddress: string | null;
  /** As in the log; null for records older than this field. */
  readonly requestId: string | null;
  /** The page that sent the query automatically. */
  readonly page: string | null;
  readonly version: string;
  readonly trackingId: string | null;
  readonly view: string | null;
  /** False if the text was too long to record. */
  readonly hasBody: boolean;
  readonly rowCount: number | null;
  readonly milliseconds: number;
  /** Null for an error, and for records older than this field. */
  readonly engine: RecordedEngine | null;
  readonly engineReason: string | null;
  readonly status: number;
  readonly errorCode: string | null;
  readonly errorAt: string | null;
  readonly errorMessage: string | null;
}

export interface RecordFilter {
  readonly userId?: number | undefined;
  /** By default, all queries except those that a page sent automatically. */
  readonly way?: Way | undefined;
  readonly onlyErrors: boolean;
  readonly before?: number | undefined;
}

/** How a query was sent. */
export interface Way {
  /** The application password; null for a session. */
  readonly keyUuid: string | null;
  /** The page that sent it automatically. */
  readonly page: string | null;
}

export interface Sender extends Way {
  readonly userId: number;
  readonly login: string;
  readonly keyName: string | null;
}

export async function listQueryRecords(
  read: ReadPool,
  { userId, way, onlyErrors, before }: RecordFilter,
  limit: number,
): Promise<readonly QueryRecord[]> {
  const query = analytics('query_record')
    .select<QueryRecord[]>(rawSql(`body <> '' AS "hasBody"`), {
      id: 'query_id',
      requestedAt: 'asked_at',
      login: 'login',
      keyUuid: 'key_uuid',
      keyName: 'key_name',
      callerAddress: 'caller_address',
      requestId: 'request_id',
      page: 'page',
      version: 'version',
      trackingId: 'tracking_id',
      view: 'view',
      rowCount: 'row_count',
      milliseconds: 'milliseconds',
      engine: 'engine',
      engineReason: 'engine_reason',
      status: 'status',
      errorCode: 'error_code',
      errorAt: 'error_at',
      errorMessage: 'error_message',
    })
    .orderBy('query_id', 'desc')
    .limit(limit);
  if (userId !== undefined) query.where('user_id', userId);
  if (way === undefined) query.whereNull('page');
  else query.where({ key_uuid: way.keyUuid, page: way.page });
  if (onlyErrors) query.whereNotNull('error_code');
  if (before !== undefined) query.where('query_id', '<', before);
  return read.select(query);
}

interface RecordedQuery {
  readonly id: number;
  readonly version: string;
  readonly body: string;
}

/** A query by this user, or by any user if `userId` is undefined. Returns undefined if its text was not recorded. */
export async function findRecordedQuery(
  read: ReadPool,
  id: number,
  userId: number | undefined,
): Promise<RecordedQuery | undefined> {
  const query = analytics('query_record')
    .select<RecordedQuery[]>({ id: 'query_id', version: 'version', body: 'body' })
    .where('query_id', id)
    .whereNot('body', '');
  if (userId !== undefined) query.where('user_id', userId);
  return (await read.select(query))[0];
}

/** All users with a recorded query, or only this user. Names come from the latest records. */
export async function listSenders(read: ReadPool, userId: number | undefined): Promise<readonly Sender[]> {
  const query = analytics('query_record')
    .distinctOn('user_id', 'key_uuid', 'page')
    .select<Sender[]>({
      userId: 'user_id',
      login: 'login',
      keyUuid: 'key_uuid',
      keyName: 'key_name',
      page: 'page',
    })
    .orderBy([
      'user_id',
      { column: 'key_uuid', nulls: 'first' },
      { column: 'page', nulls: 'first' },
      { column: 'query_id', order: 'desc' },
    ]);
  if (userId !== undefined) query.where('user_id', userId);
  const senders = await read.select(query);
  return senders.toSorted((one, other) => (one.login < other.login ? -1 : Number(one.login > other.login)));
}
