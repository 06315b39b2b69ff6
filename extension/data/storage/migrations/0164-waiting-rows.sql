-- Clicks and events that came before their page view, or whose view never comes. No query reads them.
CREATE TABLE analytics.waiting_row (
  site_id    smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  waiting_id bigint GENERATED ALWAYS AS IDENTITY,
  material   text NOT NULL,
  -- The imports that gave it; its line is that of the first.
  import_ids integer[] NOT NULL,
  line       bigint NOT NULL,
  -- Null if the file counts its time from the view.
  at         timestamptz,
  -- It waits for this view; if null, for a view of this visit; if both are null, of this visitor.
  pv_id      bigint,
  session_id bigint,
  reader_id  bigint,
  -- Field -> given value; of a dimension, its text.
  facts      jsonb NOT NULL,
  -- A digest of all the file said, by which it is known again.
  row_key    uuid NOT NULL,
  -- Set when it has found its view: the number of the click or event, and the import that brought the view. Kept until that import can no
  -- longer be undone.
  row_id     bigint,
  placed_by  integer,
  PRIMARY KEY (site_id, waiting_id),
  UNIQUE (site_id, row_key)
);
CREATE INDEX waiting_row_view ON analytics.waiting_row (site_id, pv_id) WHERE row_id IS NULL;
CREATE INDEX waiting_row_visit ON analytics.waiting_row (site_id, session_id) WHERE row_id IS NULL;
CREATE INDEX waiting_row_visitor ON analytics.waiting_row (site_id, reader_id) WHERE row_id IS NULL;
CREATE INDEX waiting_row_placed ON analytics.waiting_row (site_id, row_id) WHERE row_id IS NOT NULL;

ALTER TABLE analytics.import_run ADD COLUMN rows_waiting bigint NOT NULL DEFAULT 0;
