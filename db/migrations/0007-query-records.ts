// Owns what the pages of the extension tell: the last queries of each key, and the rows that imports rejected. Frozen once landed.
import type { Knex } from 'knex';

const UP = `
-- The newest queries of each user, key and page. Users are those of the host; names are as they were then.
CREATE TABLE analytics.query_record (
  query_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asked_at     timestamptz NOT NULL,
  user_id      integer NOT NULL,
  login        text NOT NULL,
  -- null: asked on a page, within a session.
  key_uuid     uuid,
  key_name     text,
  -- The page that asked by itself; null: a person, or a program.
  page         text,
  version      text NOT NULL,
  -- As the query says them, cut where they are long; null where it says none.
  tracking_id  text,
  view         text,
  body         text NOT NULL,
  row_count    integer,
  milliseconds integer NOT NULL,
  status       smallint NOT NULL,
  error_code   text,
  error_at     text,
  error_message text
);
CREATE INDEX query_record_key ON analytics.query_record (user_id, key_uuid, page, query_id DESC);

-- The first rows that an import rejected; import_run has how many there were.
CREATE TABLE analytics.import_rejection (
  import_id   integer NOT NULL REFERENCES analytics.import_run ON DELETE CASCADE,
  line        bigint NOT NULL,
  column_name text,
  value       text,
  reason      text NOT NULL,
  PRIMARY KEY (import_id, line)
);
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE analytics.import_rejection, analytics.query_record');
}
