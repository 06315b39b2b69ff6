-- Notes on local days of a site, shown below the chart of the dashboard.
CREATE TABLE analytics.note (
  note_id  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id  smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  day      date NOT NULL,
  text     text NOT NULL,
  -- Counts the changes, so that nobody overwrites one unseen.
  revision integer NOT NULL DEFAULT 1
);
CREATE INDEX note_day ON analytics.note (site_id, day);
