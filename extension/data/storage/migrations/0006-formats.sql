-- Where a view itself came from, if its file tells of single views: source_id and the others of such a view are those of the
-- first view of its visit.
ALTER TABLE analytics.page_view
  ADD COLUMN view_source_id   integer,
  ADD COLUMN view_medium_id   integer,
  ADD COLUMN view_campaign_id integer,
  ADD COLUMN view_content_id  integer;

-- How files without ids, or with addresses as they were requested, become rows of a site.
CREATE TABLE analytics.import_rules (
  site_id        smallint PRIMARY KEY REFERENCES analytics.site ON DELETE CASCADE,
  -- The key of the hash that visitors are known by. It is never shown, and never changes.
  visitor_secret bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
  visitor_period text NOT NULL DEFAULT 'day' CHECK (visitor_period IN ('day', 'month', 'always')),
  -- Hosts of the site besides its domain.
  hosts          text[] NOT NULL DEFAULT '{}',
  -- Parameters that are taken out of addresses; null: those of the program.
  click_ids      text[]
);
