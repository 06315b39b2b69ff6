-- A generated session has the id of its first view: that of the view if it is generated as well, else 5,000,000,000,000,000 more.
CREATE TEMPORARY TABLE renamed ON COMMIT DROP AS
SELECT DISTINCT ON (site_id, session_id) site_id, session_id,
       CASE WHEN pv_id < 4000000000000001 THEN 5000000000000000 + pv_id ELSE pv_id END AS own
  FROM analytics.page_view WHERE session_id >= 4000000000000001 ORDER BY site_id, session_id, at, pv_id;
CREATE UNIQUE INDEX ON renamed (site_id, session_id);
ANALYZE renamed;

UPDATE analytics.page_view v SET session_id = r.own FROM renamed r WHERE v.site_id = r.site_id AND v.session_id = r.session_id;
UPDATE analytics.click c SET session_id = r.own FROM renamed r WHERE c.site_id = r.site_id AND c.session_id = r.session_id;
UPDATE analytics.event e SET session_id = r.own FROM renamed r WHERE e.site_id = r.site_id AND e.session_id = r.session_id;

-- Not by an UPDATE, since a new id may be another session's earlier one.
CREATE TEMPORARY TABLE converted ON COMMIT DROP AS
SELECT c.at, c.site_id, c.goal_no, r.own AS session_id, c.pv_id FROM analytics.conversion c JOIN renamed r USING (site_id, session_id);
DELETE FROM analytics.conversion c USING renamed r WHERE c.site_id = r.site_id AND c.session_id = r.session_id;
INSERT INTO analytics.conversion (at, site_id, goal_no, session_id, pv_id) SELECT at, site_id, goal_no, session_id, pv_id FROM converted;

-- The first view of visitors whose earliest views were removed by retention: they have been here before.
CREATE TABLE analytics.visitor_first (
  site_id   smallint NOT NULL,
  reader_id bigint NOT NULL,
  first_at  timestamptz NOT NULL,
  PRIMARY KEY (site_id, reader_id)
);
-- Of earlier removals, only that a visitor had been here before is known.
INSERT INTO analytics.visitor_first (site_id, reader_id, first_at)
SELECT site_id, reader_id, at
  FROM (SELECT DISTINCT ON (v.site_id, v.reader_id) v.site_id, v.reader_id, v.at, v.is_newuser, v.given_is_newuser
          FROM analytics.page_view v JOIN analytics.site s USING (site_id)
         WHERE s.tracking_id IN (SELECT tracking_id FROM analytics.removal WHERE kind = 'retention')
         ORDER BY v.site_id, v.reader_id, v.at, v.pv_id) f
 WHERE NOT is_newuser AND given_is_newuser IS NULL;
