// Reads the records of queries: filter -> the newest that fit, and who there is to filter by.
import type { ReadPool } from '../../host-shim/extension-api';
import { analytics, rawSql } from '../storage/build-query';

export interface QueryRecord {
  readonly id: number;
  readonly askedAt: Date;
  readonly login: string;
  readonly keyUuid: string | null;
  readonly keyName: string | null;
  /** The page that asked by itself. */
  readonly page: string | null;
  readonly version: string;
  readonly trackingId: string | null;
  readonly view: string | null;
  /** False where its text was too long to be kept. */
  readonly hasBody: boolean;
  readonly rowCount: number | null;
  readonly milliseconds: number;
  readonly status: number;
  readonly errorCode: string | null;
  readonly errorAt: string | null;
  readonly errorMessage: string | null;
}

export interface RecordFilter {
  /** Of this user only. */
  readonly userId?: number | undefined;
  /** Of this way of asking only. */
  readonly way?: Way | undefined;
  readonly onlyErrors: boolean;
  /** Only older ones than the record of this id. */
  readonly before?: number | undefined;
}

/** With an application password, or within a session (`keyUuid` null): a person, or a page by itself (`page`). */
export interface Way {
  readonly keyUuid: string | null;
  readonly page: string | null;
}

/** Who asked, and in which way. */
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
      page: 'page',
      version: 'version',
      trackingId: 'tracking_id',
      view: 'view',
      rowCount: 'row_count',
      milliseconds: 'milliseconds',
      status: 'status',
      errorCode: 'error_code',
      errorAt: 'error_at',
      errorMessage: 'error_message',
    })
    .orderBy('query_id', 'desc')
    .limit(limit);
  if (userId !== undefined) asked.where('user_id', userId);
  if (way !== undefined) asked.where({ key_uuid: way.keyUuid, page: way.page });
  if (onlyErrors) asked.whereNotNull('error_code');
  if (before !== undefined) asked.where('query_id', '<', before);
  return read.select(asked);
}

/** A query as it was sent. */
export interface RecordedQuery {
  readonly id: number;
  readonly version: string;
  readonly body: string;
}

/** One query of this user, or of anybody; undefined where there is none, or its text was not kept. */
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

/** Everybody of whom there are records, or the one user; names are the newest ones that were recorded. */
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
