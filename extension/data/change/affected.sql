-- derive, first part: which stored visits and visitors a change affects.
-- $1: site. $2 and $3: the time range of stored views that can be next to staged ones. $4 and $5: the smallest and largest given id of
-- a stored visit. The order of look-ups makes PostgreSQL use the index of visitors even if its statistics do not contain the site yet.

-- The visits that staged or touched rows belong to or belonged to, and those containing views of the same visitor within half an hour.
INSERT INTO affected_visit
SELECT session_id FROM staged WHERE session_id BETWEEN $4 AND $5
UNION
SELECT session_id FROM touched
UNION
SELECT v.session_id
  FROM touched t, LATERAL (
    SELECT session_id FROM analytics.page_view
     WHERE site_id = (SELECT $1::smallint) AND reader_id = t.reader_id AND at BETWEEN t.at - :pause AND t.at + :pause
       AND session_id >= :generated ORDER BY at OFFSET 0) v
UNION
SELECT v.session_id
  FROM staged s, LATERAL (
    SELECT session_id FROM analytics.page_view
     WHERE site_id = (SELECT $1::smallint) AND reader_id = s.reader_id AND at BETWEEN s.at - :pause AND s.at + :pause
       AND session_id >= :generated ORDER BY at OFFSET 0) v
 WHERE s.session_id IS NULL AND s.named_by <> :nothing
   AND s.at BETWEEN $2::timestamptz - :pause AND $3::timestamptz + :pause;

-- A view imported without a visitor and a visit gets its own visit and visitor.
INSERT INTO affected_visitor
SELECT r.reader_id, r.at, v.at, v.session_id
  FROM (SELECT reader_id, min(at) AS at
          FROM (SELECT reader_id, at FROM staged WHERE named_by <> :nothing AND may_be_known
                UNION ALL
                SELECT reader_id, at FROM touched) changed
         GROUP BY reader_id) r
  LEFT JOIN LATERAL (
    SELECT at, session_id FROM analytics.page_view v
     WHERE site_id = (SELECT $1::smallint) AND reader_id = r.reader_id
       AND v.pv_id NOT IN (SELECT pv_id FROM touched)
     ORDER BY at LIMIT 1) v ON true;

-- The visit of the view that was, or now is, a visitor's first.
INSERT INTO affected_visit
SELECT DISTINCT v.session_id
  FROM affected_visitor r, LATERAL (
    SELECT session_id FROM analytics.page_view
     WHERE site_id = (SELECT $1::smallint) AND reader_id = r.reader_id AND at = r.first_at ORDER BY at OFFSET 0) v
 WHERE r.first_at >= r.changed_at
ON CONFLICT DO NOTHING;
