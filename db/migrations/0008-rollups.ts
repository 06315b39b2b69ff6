// Owns the counts that answer most questions without reading rows: derived data, kept by whatever changes rows.
// Frozen once landed.
import type { Knex } from 'knex';

const UP = `
-- A site without a row here has no counts. Days are those of the clock: the offsets of the site's zone in seconds, each
-- until an instant in seconds since 1970, over all of the site's rows; day N is N days after 1970-01-01.
CREATE TABLE analytics.rollup_state (
  site_id    smallint PRIMARY KEY REFERENCES analytics.site ON DELETE CASCADE,
  timezone   text NOT NULL,
  clock      jsonb NOT NULL,
  -- Days of all rows: [first_day, end_day).
  first_day  integer NOT NULL,
  end_day    integer NOT NULL,
  -- No click lies more seconds behind the beginning of its page view.
  longest_click integer NOT NULL,
  built_at   timestamptz NOT NULL
);

-- Block B of level L is the days [B * 4^L, (B + 1) * 4^L); a block without rows is not there. The arrays belong together:
-- the numbers at one place are those of the key at that place.
CREATE TABLE analytics.rollup (
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  dimension   smallint NOT NULL,
  level       smallint NOT NULL,
  block       integer NOT NULL,
  keys        integer[],
  second_keys integer[],
  row_count       integer[] NOT NULL,
  landing_count   integer[],
  bounce_count    integer[],
  exit_count      integer[],
  newuser_count   integer[],
  browse_sum      bigint[],
  browse_count    integer[],
  depth_sum       bigint[],
  depth_count     integer[],
  deep_read_count integer[],
  submit_count    integer[],
  rage_count      integer[],
  rage_sum        bigint[],
  PRIMARY KEY (site_id, dimension, level, block)
);

-- Keys, and sums that differ from key to key, are slow to compress and hardly become smaller. Of the arrays the
-- planner needs to know how long they are, which the keys tell; to look at all of them would take longer than an import.
ALTER TABLE analytics.rollup
  ALTER COLUMN keys SET STORAGE EXTERNAL,
  ALTER COLUMN browse_sum SET STORAGE EXTERNAL,
  ALTER COLUMN depth_sum SET STORAGE EXTERNAL,
  ALTER COLUMN second_keys SET STATISTICS 0,
  ALTER COLUMN row_count SET STATISTICS 0,
  ALTER COLUMN landing_count SET STATISTICS 0,
  ALTER COLUMN bounce_count SET STATISTICS 0,
  ALTER COLUMN exit_count SET STATISTICS 0,
  ALTER COLUMN newuser_count SET STATISTICS 0,
  ALTER COLUMN browse_sum SET STATISTICS 0,
  ALTER COLUMN browse_count SET STATISTICS 0,
  ALTER COLUMN depth_sum SET STATISTICS 0,
  ALTER COLUMN depth_count SET STATISTICS 0,
  ALTER COLUMN deep_read_count SET STATISTICS 0,
  ALTER COLUMN submit_count SET STATISTICS 0,
  ALTER COLUMN rage_count SET STATISTICS 0,
  ALTER COLUMN rage_sum SET STATISTICS 0;

-- How many different visits or visitors (counted: 1, 2) a block has for each key, told apart by the day before the block
-- on which the same one had the same key last; null: on none. So different ones of some whole blocks are those whose day
-- lies before the first of these.
CREATE TABLE analytics.rollup_unique (
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  dimension   smallint NOT NULL,
  counted     smallint NOT NULL,
  level       smallint NOT NULL,
  block       integer NOT NULL,
  keys        integer[],
  second_keys integer[],
  previous    integer[] NOT NULL,
  counts      integer[] NOT NULL,
  PRIMARY KEY (site_id, dimension, counted, level, block)
);

ALTER TABLE analytics.rollup_unique
  ALTER COLUMN second_keys SET STATISTICS 0,
  ALTER COLUMN previous SET STATISTICS 0,
  ALTER COLUMN counts SET STATISTICS 0;

-- The sites as they are; an error when one of them is not of that version any more: what was planned then does not hold.
CREATE FUNCTION analytics.sites_of_versions(sites smallint[], versions bigint[]) RETURNS smallint[]
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
  IF (SELECT count(*) FROM unnest(sites, versions) asked (site_id, data_version)
        JOIN analytics.site USING (site_id, data_version)) <> cardinality(sites) THEN
    RAISE EXCEPTION 'The data of a site changed meanwhile.' USING ERRCODE = 'QALV1';
  END IF;
  RETURN sites;
END $$;
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION analytics.sites_of_versions(smallint[], bigint[]);
    DROP TABLE analytics.rollup_unique, analytics.rollup, analytics.rollup_state`);
}
