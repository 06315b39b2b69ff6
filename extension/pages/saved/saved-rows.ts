// Rows that users save under a name: queries, and segments of a site. Only the owner sees a personal row. The
// owner and users who manage accounts can change a shared row; everyone else can only view it.
import type { Knex } from 'knex';
import { DatabaseError } from 'pg';
import type { Accounts, HostUser, ReadPool } from '../../../host-shim/extension-api';
import { lockLimit } from '../../data/storage/advisory-locks';
import { analytics, rawSql } from '../../data/storage/build-query';
import type { Saved } from '../shared-types/saved-types';

export type SaveResult<Stored> =
  | { readonly kind: 'saved'; readonly stored: Stored }
  | { readonly kind: 'name-taken' | 'full' | 'not-yours' | 'changed' | 'no-account' };

/** The properties of one table of saved rows. */
export interface SavedTable {
  readonly table: string;
  readonly id: string;
  /** Columns in addition to those that all of these tables have. */
  readonly columns: readonly string[];
  /** Among a user's rows with the same values in these columns, names are unique and the number of rows is limited. */
  readonly within: readonly string[];
  readonly max: number;
}

export type Columns = Readonly<Record<string, unknown>>;

export interface SavedRows<Stored> {
  /** Sorted: the user's own rows first, then by name. */
  list(read: ReadPool, user: HostUser, where?: Columns): Promise<readonly Stored[]>;
  /** A row with additional columns, if the user may open it. */
  find<More extends object>(
    read: ReadPool,
    user: HostUser,
    id: number,
    more: string | Knex.Raw,
  ): Promise<(Stored & More) | undefined>;
  add(write: Knex, accounts: Accounts, user: HostUser, columns: Columns): Promise<SaveResult<Stored>>;
  /** Changes the given columns, if the revision is still current. */
  change(
    write: Knex,
    user: HostUser,
    stored: Saved,
    columns: Columns & { readonly revision: number },
  ): Promise<SaveResult<Stored>>;
  /** Deletes the row, if the revision is still current. */
  remove<Found extends Saved>(write: Knex, stored: Found, revision: number): Promise<SaveResult<Found>>;
}

const UNIQUE_VIOLATION = '23505';

export function savedRows<Stored extends Saved>(kind: SavedTable): SavedRows<Stored> {
  const { table, id: key, within, max } = kind;
  const rows = (write: Knex): Knex.QueryBuilder => write(`analytics.${table}`);
  const columnsFor = ({ id, capabilities }: HostUser) => [
    `${key} as id`,
    'login as owner',
    'name',
    'shared',
    'revision',
    ...kind.columns,
    rawSql('user_id = ? AS "isOwn"', [id]),
    rawSql('(user_id = ? OR ?) AS "mayChange"', [id, capabilities.includes('edit_users')]),
  ];
  const visibleTo = ({ id }: HostUser) =>
    analytics(table).where((either) => either.where('user_id', id).orWhere('shared', true));
  return {
    list(read, user, where = {}) {
      const query = visibleTo(user)
        .where(where)
        .select(columnsFor(user))
        .orderByRaw('user_id = ? DESC, lower(name), ??', [user.id, key]);
      return read.select<Stored>(query);
    },
    async find<More extends object>(read: ReadPool, user: HostUser, id: number, more: string | Knex.Raw) {
      const query = visibleTo(user)
        .where(key, id)
        .select([...columnsFor(user), more]);
      const [row] = await read.select<Stored & More>(query);
      return row;
    },
    add: (write, accounts, user, columns) =>
      write.transaction(async (transaction) => {
        if (!(await accounts.hold(transaction, user.id))) return { kind: 'no-account' };
        await lockLimit(transaction, user.id);
        const own = rows(transaction).where('user_id', user.id);
        for (const column of within) own.where({ [column]: columns[column] });
        if ((await own.select(key)).length >= max) return { kind: 'full' };
        const added = await rows(transaction)
          .insert({ user_id: user.id, login: user.login, ...columns })
          .onConflict()
          .ignore()
          .returning(columnsFor(user));
        const [row]: Stored[] = added;
        return row === undefined ? { kind: 'name-taken' } : { kind: 'saved', stored: row };
      }),
    async change(write, user, { id, mayChange }, { revision, ...columns }) {
      if (!mayChange) return { kind: 'not-yours' };
      try {
        const changed = await rows(write)
          .where({ [key]: id, revision })
          .update({ ...columns, revision: revision + 1 })
          .returning(columnsFor(user));
        const [row]: Stored[] = changed;
        return row === undefined ? { kind: 'changed' } : { kind: 'saved', stored: row };
      } catch (error) {
        if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return { kind: 'name-taken' };
        throw error;
      }
    },
    async remove(write, found, revision) {
      if (!found.mayChange) return { kind: 'not-yours' };
      const deleted = await rows(write)
        .where({ [key]: found.id, revision })
        .delete();
      return deleted === 0 ? { kind: 'changed' } : { kind: 'saved', stored: found };
    },
  };
}
