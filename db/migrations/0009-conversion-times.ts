// Owns the time of a conversion as queries read it: that of the conversion, which has an index, not of its page view,
// which is equal. PostgreSQL takes no bound over from one to the other. Frozen once landed.
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<void> => writeView(knex, 'conversion');

export const down = (knex: Knex): Promise<void> => writeView(knex, 'page_view');

/** The view with the columns that it has, in their order. */
async function writeView(knex: Knex, timeOf: string): Promise<void> {
  const { rows } = await knex.raw(
    `SELECT string_agg(CASE attname WHEN 'at' THEN ? WHEN 'goal_no' THEN 'conversion' ELSE 'page_view' END
            || '.' || quote_ident(attname), ', ' ORDER BY attnum) AS columns
       FROM pg_attribute WHERE attrelid = 'analytics.conversion_view'::regclass AND attnum > 0`,
    [timeOf],
  );
  await knex.raw(`
    CREATE OR REPLACE VIEW analytics.conversion_view AS
    SELECT ${rows[0].columns}
    FROM analytics.conversion JOIN analytics.page_view USING (site_id, pv_id, session_id, at)
  `);
}
