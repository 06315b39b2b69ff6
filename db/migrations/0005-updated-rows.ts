// Owns the count of rows that an import found with other figures. Frozen once landed.
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE analytics.import_run ADD COLUMN rows_updated bigint NOT NULL DEFAULT 0');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE analytics.import_run DROP COLUMN rows_updated');
}
