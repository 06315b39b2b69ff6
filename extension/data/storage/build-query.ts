// Builds statements that the read pool runs. This Knex has no connection.
import knex, { type Knex } from 'knex';

const builder = knex({ client: 'pg' });

/** A query over a table of the schema `analytics`, or over another query. */
export const analytics = (table: Knex.TableDescriptor | Knex.QueryBuilder): Knex.QueryBuilder =>
  builder.withSchema('analytics').from(table);

/** Constant SQL inside a query: `?` is a placeholder for a value, `??` for a name. */
export const rawSql = (text: string, bindings: readonly Knex.RawBinding[] = []): Knex.Raw =>
  builder.raw(text, bindings);
