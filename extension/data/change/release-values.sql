-- settle, before views are replaced: a page or visitor with a value from one of them gets the value from its newest other view. $1 site.
WITH released AS MATERIALIZED (
  SELECT DISTINCT v.page_id FROM staged s JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = s.pv_id
    JOIN analytics.page p ON p.site_id = $1 AND p.page_id = v.page_id AND v.at IN (p.title_at, p.type_at, p.status_at)
   WHERE s.status IN (2, 5)
), left_over AS (
  SELECT v.page_id, v.at, t.title, t.page_type, t.page_fetch_status
    FROM released r JOIN analytics.page_view v ON v.site_id = $1 AND v.page_id = r.page_id
    JOIN analytics.page_state t ON t.site_id = $1 AND t.page_state_id = v.page_state_id
   WHERE v.pv_id NOT IN (SELECT pv_id FROM staged WHERE status IN (2, 5))
), newest AS (
  SELECT page_id, (array_agg(title ORDER BY at DESC, title COLLATE "C" DESC) FILTER (WHERE title IS NOT NULL))[1] AS title,
         max(at) FILTER (WHERE title IS NOT NULL) AS title_at,
         (array_agg(page_type ORDER BY at DESC, page_type DESC) FILTER (WHERE page_type IS NOT NULL))[1] AS page_type,
         max(at) FILTER (WHERE page_type IS NOT NULL) AS type_at,
         (array_agg(page_fetch_status ORDER BY at DESC, page_fetch_status DESC) FILTER (WHERE page_fetch_status IS NOT NULL))[1] AS status,
         max(at) FILTER (WHERE page_fetch_status IS NOT NULL) AS status_at
    FROM left_over GROUP BY page_id
)
UPDATE analytics.page p
   SET title = n.title, title_at = n.title_at, page_type = n.page_type, type_at = n.type_at, page_fetch_status = n.status,
       status_at = n.status_at
  FROM released r LEFT JOIN newest n USING (page_id)
 WHERE p.site_id = $1 AND p.page_id = r.page_id;

WITH released AS MATERIALIZED (
  SELECT DISTINCT v.reader_id FROM staged s JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = s.pv_id
    JOIN analytics.reader r ON r.site_id = $1 AND r.reader_id = v.reader_id AND r.seen_at = v.at
   WHERE s.status IN (2, 5) AND v.reader_id < 4000000000000000
), newest AS (
  SELECT DISTINCT ON (v.reader_id) v.reader_id, v.at, t.original_id, t.text_key
    FROM released r JOIN analytics.page_view v ON v.site_id = $1 AND v.reader_id = r.reader_id
    JOIN analytics.reader_state t ON t.site_id = $1 AND t.reader_state_id = v.reader_state_id
   WHERE v.pv_id NOT IN (SELECT pv_id FROM staged WHERE status IN (2, 5))
   ORDER BY v.reader_id, v.at DESC, t.original_id COLLATE "C" DESC
), gone AS (
  DELETE FROM analytics.reader r USING released g
   WHERE r.site_id = $1 AND r.reader_id = g.reader_id AND g.reader_id NOT IN (SELECT reader_id FROM newest)
)
UPDATE analytics.reader r SET original_id = n.original_id, seen_at = n.at, text_key = n.text_key
  FROM newest n WHERE r.site_id = $1 AND r.reader_id = n.reader_id;
