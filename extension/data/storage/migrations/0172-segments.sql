-- Filters of a site that users saved under a name. A personal one is seen by its owner, a shared one by everyone who sees the site.
CREATE TABLE analytics.segment (
  segment_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id    smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  user_id    integer NOT NULL,
  login      text NOT NULL,
  name       text NOT NULL,
  filters    jsonb NOT NULL,
  shared     boolean NOT NULL,
  -- Counts the changes, so that nobody overwrites one unseen.
  revision   integer NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX segment_name ON analytics.segment (site_id, user_id, lower(name));
