-- Visitors who were erased, so that neither an older backup nor a file brings them back: `names` and `rows` are hashes, keyed with the
-- site's secret, of what names the visitor, and of the ids that files gave for their page views and visits.
CREATE TABLE analytics.erasure (
  site_id    smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  erasure_id uuid NOT NULL,
  erased_at  timestamptz NOT NULL,
  names      text[] NOT NULL,
  rows       text[] NOT NULL,
  PRIMARY KEY (site_id, erasure_id)
);
-- Files with rejected rows of a site, which commands wrote.
CREATE TABLE analytics.rejected_file (
  site_id    smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  path       text NOT NULL,
  written_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, path)
);
