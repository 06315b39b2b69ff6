// Builds statements for the read pool, which runs them: this Knex has no connection.
import knex, { type Knex } from 'knex';

const builder = knex({ client: 'pg' });

/** A query of a table of the schema analytics, or of another query. */
export const analytics = (table: Knex.TableDescriptor | Knex.QueryBuilder): Knex.QueryBuilder =>
  builder.withSchema('analytics').from(table);

/** Fixed SQL within a query; `?` is the place of a value, `??` that of a name. */
export const rawSql = (text: string, bindings: readonly Knex.RawBinding[] = []): Knex.Raw =>
  builder.raw(text, bindings);
