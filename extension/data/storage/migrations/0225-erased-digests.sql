-- The hashes of an erasure, one row each, so that an import looks up only those of its rows. `name_no`: its place among the hashes of what
-- names the visitor; null for those of ids that files gave for page views and visits.
CREATE TABLE analytics.erased_digest (
  site_id    smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  digest     bytea NOT NULL,
  erasure_id uuid NOT NULL,
  name_no    integer,
  PRIMARY KEY (site_id, digest, erasure_id)
);
INSERT INTO analytics.erased_digest (site_id, digest, erasure_id, name_no)
SELECT e.site_id, decode(d.digest, 'hex'), e.erasure_id, min(d.name_no)
  FROM analytics.erasure e, LATERAL (
       SELECT * FROM unnest(e.names) WITH ORDINALITY UNION ALL SELECT unnest(e.rows), NULL) d (digest, name_no)
 WHERE d.digest ~ '^[0-9a-f]{64}$' GROUP BY 1, 2, 3;
ALTER TABLE analytics.erasure DROP COLUMN names, DROP COLUMN rows;
