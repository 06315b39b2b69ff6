// Builds statements for the read pool. This Knex instance has no connection.
import knex, { type Knex } from 'knex';

const builder = knex({ client: 'pg' });

/** A query on a table in the `analytics` schema, or on a subquery. */
export const analytics = (table: Knex.TableDescriptor | Knex.QueryBuilder): Knex.QueryBuilder =>
  builder.withSchema('analytics').from(table);

/** Constant SQL, in which `?` is a placeholder for a value and `??` for an identifier. */
export const rawSql = (text: string, bindings: readonly Knex.RawBinding[] = []): Knex.Raw =>
  builder.raw(text, bindings);
