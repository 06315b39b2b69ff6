// Owns the switches of an installation: features of the contracts that it has turned off. Frozen once landed.
import type { Knex } from 'knex';

const UP = `
CREATE TABLE analytics.feature_switch (
  feature    text PRIMARY KEY,
  enabled    boolean NOT NULL,
  changed_at timestamptz NOT NULL
);
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE analytics.feature_switch');
}
