// Queries that users saved under a name. Only the owner can see and change them; a shared one is visible to all, and can also
// be changed by users who manage accounts.
import type { Knex } from 'knex';
import { DatabaseError } from 'pg';
import { z } from 'zod';
import type { HostUser, ReadPool } from '../../host-shim/extension-api';
import { analytics } from '../data/storage/build-query';
import { strict } from '../data/storage/field-faults';
import { nameText, plainText } from '../data/storage/plain-text';

export const MOST_SAVED_QUERIES = 200;
const LONGEST_NAME = 100;
const LONGEST_SAVED_QUERY = 100_000;

interface SavedQuery {
  readonly id: number;
  readonly name: string;
  /** Login. */
  readonly owner: string;
  readonly shared: boolean;
  readonly version: string;
  /** Incremented by every change. */
  readonly revision: number;
  readonly changedAt: Date;
  readonly isOwn: boolean;
  readonly mayChange: boolean;
}

export interface SavedQueryText extends SavedQuery {
  readonly text: string;
}

export const savedQueryFields = strict({
  name: z.string().trim().pipe(nameText(LONGEST_NAME)).describe('Unique among those of its owner.'),
  text: plainText(LONGEST_SAVED_QUERY).describe('The query as it is typed; it need not be valid.'),
  version: z.string().describe('API version of the query.'),
  shared: z.boolean().describe('Whether everybody may open it.'),
});
type SavedQueryFields = z.output<typeof savedQueryFields>;

/** Limit of the column's type. */
const MOST_REVISIONS = 2_147_483_646;
export const revisionSeen = z.int().min(1).max(MOST_REVISIONS).describe('The revision that was opened.');
export const savedQueryChange = savedQueryFields.partial().extend({ revision: revisionSeen });

export type SaveResult =
  | { readonly kind: 'saved'; readonly query: SavedQuery }
  | { readonly kind: 'name-taken' | 'full' | 'not-yours' | 'changed' };

type Row = Omit<SavedQueryText, 'isOwn' | 'mayChange'> & { readonly userId: number };
type ListedRow = Omit<Row, 'text'>;

const COLUMNS = [
  'saved_query_id as id',
  'user_id as userId',
  'name',
  'login as owner',
  'shared',
  'version',
  'revision',
  'changed_at as changedAt',
];

function savedQueryOf<Found extends ListedRow>({ userId, ...row }: Found, user: HostUser) {
  const isOwn = userId === user.id;
  return { ...row, isOwn, mayChange: isOwn || user.capabilities.includes('edit_users') };
}

const visibleTo = (user: HostUser) =>
  analytics('saved_query').where((either) => either.where('user_id', user.id).orWhere('shared', true));

/** Queries that a user may open: own ones first, then by name. */
export async function listSavedQueries(read: ReadPool, user: HostUser): Promise<readonly SavedQuery[]> {
  const rows = await read.select<ListedRow>(
    visibleTo(user)
      .select<ListedRow[]>(...COLUMNS)
      .orderByRaw('user_id = ? DESC, lower(name), saved_query_id', [user.id]),
  );
  return rows.map((row) => savedQueryOf(row, user));
}

export async function findSavedQuery(
  read: ReadPool,
  id: number,
  user: HostUser,
): Promise<SavedQueryText | undefined> {
  const asked = visibleTo(user).where('saved_query_id', id);
  const [row] = await read.select<Row>(asked.select<Row[]>(...COLUMNS, 'body as text'));
  return row && savedQueryOf(row, user);
}

/** Locked per user, so that parallel requests cannot exceed the limit. */
const LIMIT_LOCK = 7_216_090;

export function addSavedQuery(
  write: Knex,
  user: HostUser,
  { text, ...fields }: SavedQueryFields,
  now: Date,
): Promise<SaveResult> {
  return write.transaction(async (transaction) => {
    await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [LIMIT_LOCK, user.id]);
    const ofUser = transaction('analytics.saved_query').where('user_id', user.id);
    if ((await ofUser.select('saved_query_id')).length >= MOST_SAVED_QUERIES) return { kind: 'full' };
    const [row]: ListedRow[] = await transaction('analytics.saved_query')
      .insert({ user_id: user.id, login: user.login, ...fields, body: text, changed_at: now })
      .onConflict()
      .ignore()
      .returning(COLUMNS);
    return row === undefined ? { kind: 'name-taken' } : { kind: 'saved', query: savedQueryOf(row, user) };
  });
}

const UNIQUE_VIOLATION = '23505';

/** Changes the given fields, if `revision` is still current. */
export async function changeSavedQuery(
  write: Knex,
  user: HostUser,
  { id, mayChange }: SavedQuery,
  { revision, text, ...fields }: z.output<typeof savedQueryChange>,
  now: Date,
): Promise<SaveResult> {
  if (!mayChange) return { kind: 'not-yours' };
  try {
    const [row]: ListedRow[] = await write('analytics.saved_query')
      .where({ saved_query_id: id, revision })
      .update({
        ...fields,
        ...(text !== undefined && { body: text }),
        revision: revision + 1,
        changed_at: now,
      })
      .returning(COLUMNS);
    return row === undefined ? { kind: 'changed' } : { kind: 'saved', query: savedQueryOf(row, user) };
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return { kind: 'name-taken' };
    throw error;
  }
}

/** Deletes the query, if `revision` is still current. */
export async function deleteSavedQuery(
  write: Knex,
  query: SavedQuery,
  revision: number,
): Promise<SaveResult> {
  if (!query.mayChange) return { kind: 'not-yours' };
  const deleted = await write('analytics.saved_query').where({ saved_query_id: query.id, revision }).delete();
  return deleted === 0 ? { kind: 'changed' } : { kind: 'saved', query };
}
