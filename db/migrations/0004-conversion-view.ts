// Owns the rows of goals as queries read them: each conversion with its page view. Frozen once landed.
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE VIEW analytics.conversion_view AS
    SELECT page_view.*, conversion.goal_no
    FROM analytics.conversion JOIN analytics.page_view USING (site_id, pv_id, session_id, at)
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP VIEW analytics.conversion_view');
}
