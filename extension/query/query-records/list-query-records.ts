// Reads the records of queries.
import type { ReadPool } from '../../../host-shim/extension-api';
import { analytics, rawSql } from '../../data/storage/build-query';
import type { RecordedEngine } from './query-records';

export interface QueryRecord {
  readonly id: number;
  readonly askedAt: Date;
  readonly login: string;
  readonly keyUuid: string | null;
  readonly keyName: string | null;
  /** null where it could not be read, and for records older than this field. */
  readonly callerAddress: string | null;
  /** As the log has it; null for records older than this field. */
  readonly requestId: string | null;
  /** The page that sent it on its own. */
  readonly page: string | null;
  readonly version: string;
  readonly trackingId: string | null;
  readonly view: string | null;
  /** False where its text was too long to record. */
  readonly hasBody: boolean;
  readonly rowCount: number | null;
  readonly milliseconds: number;
  /** null for an error, and for records older than this field. */
  readonly engine: RecordedEngine | null;
  readonly engineReason: string | null;
  readonly status: number;
  readonly errorCode: string | null;
  readonly errorAt: string | null;
  readonly errorMessage: string | null;
}

export interface RecordFilter {
  /** Only of this user. */
  readonly userId?: number | undefined;
  /** Only those sent this way; without it, none that a page sent on its own. */
  readonly way?: Way | undefined;
  readonly onlyErrors: boolean;
  /** Only records older than this id. */
  readonly before?: number | undefined;
}

/** By application password, or in a session (`keyUuid` null): by a person, or by a page on its own (`page`). */
export interface Way {
  readonly keyUuid: string | null;
  readonly page: string | null;
}

/** A user, and how the user asked. */
export interface Asker extends Way {
  readonly userId: number;
  readonly login: string;
  readonly keyName: string | null;
}

/** The newest first, at most `limit`. */
export async function listQueryRecords(
  read: ReadPool,
  { userId, way, onlyErrors, before }: RecordFilter,
  limit: number,
): Promise<readonly QueryRecord[]> {
  const asked = analytics('query_record')
    .select<QueryRecord[]>(rawSql(`body <> '' AS "hasBody"`), {
      id: 'query_id',
      askedAt: 'asked_at',
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
  if (userId !== undefined) asked.where('user_id', userId);
  if (way === undefined) asked.whereNull('page');
  else asked.where({ key_uuid: way.keyUuid, page: way.page });
  if (onlyErrors) asked.whereNotNull('error_code');
  if (before !== undefined) asked.where('query_id', '<', before);
  return read.select(asked);
}

/** A query as it was sent. */
interface RecordedQuery {
  readonly id: number;
  readonly version: string;
  readonly body: string;
}

/** A query of this user, or of any user; undefined where it does not exist or its text was not recorded. */
export async function findRecordedQuery(
  read: ReadPool,
  id: number,
  userId: number | undefined,
): Promise<RecordedQuery | undefined> {
  const asked = analytics('query_record')
    .select<RecordedQuery[]>({ id: 'query_id', version: 'version', body: 'body' })
    .where('query_id', id)
    .whereNot('body', '');
  if (userId !== undefined) asked.where('user_id', userId);
  return (await read.select(asked))[0];
}

/** Everybody with records, or one user. Names are the latest recorded ones. */
export async function listAskers(read: ReadPool, userId: number | undefined): Promise<readonly Asker[]> {
  const asked = analytics('query_record')
    .distinctOn('user_id', 'key_uuid', 'page')
    .select<Asker[]>({
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
  if (userId !== undefined) asked.where('user_id', userId);
  const askers = await read.select(asked);
  return askers.toSorted((one, other) => (one.login < other.login ? -1 : Number(one.login > other.login)));
}
