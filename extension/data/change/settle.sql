-- settle: the values that pages and visitors take from their newest view. $1 site.

-- Each value of a page comes from the newest view that has it; of two views in the same second, the greater value counts.
WITH said AS MATERIALIZED (
  SELECT page_id, page_state_id, max(at) AS at FROM staged WHERE status IN (0, 2) AND page_state_id IS NOT NULL GROUP BY 1, 2
), newest AS (
  SELECT page_id, (array_agg(title ORDER BY at DESC, title COLLATE "C" DESC) FILTER (WHERE title IS NOT NULL))[1] AS title,
         max(at) FILTER (WHERE title IS NOT NULL) AS title_at,
         (array_agg(page_type ORDER BY at DESC, page_type DESC) FILTER (WHERE page_type IS NOT NULL))[1] AS page_type,
         max(at) FILTER (WHERE page_type IS NOT NULL) AS type_at,
         (array_agg(page_fetch_status ORDER BY at DESC, page_fetch_status DESC) FILTER (WHERE page_fetch_status IS NOT NULL))[1] AS status,
         max(at) FILTER (WHERE page_fetch_status IS NOT NULL) AS status_at
    FROM said s, LATERAL (SELECT title, page_type, page_fetch_status FROM analytics.page_state
                           WHERE site_id = $1 AND page_state_id = s.page_state_id OFFSET 0) t
   GROUP BY page_id
), compared AS (
  SELECT p.page_id, n.title, n.title_at, n.page_type, n.type_at, n.status, n.status_at,
         coalesce(p.title_at IS NULL OR (n.title_at, n.title COLLATE "C") > (p.title_at, p.title), false) AND n.title IS NOT NULL AS is_title,
         coalesce(p.type_at IS NULL OR (n.type_at, n.page_type) > (p.type_at, p.page_type), false) AND n.page_type IS NOT NULL AS is_type,
         coalesce(p.status_at IS NULL OR (n.status_at, n.status) > (p.status_at, p.page_fetch_status), false) AND n.status IS NOT NULL AS is_status
    FROM newest n, LATERAL (SELECT * FROM analytics.page WHERE site_id = $1 AND page_id = n.page_id OFFSET 0) p
)
UPDATE analytics.page p
   SET title = CASE WHEN is_title THEN n.title ELSE p.title END, title_at = CASE WHEN is_title THEN n.title_at ELSE p.title_at END,
       page_type = CASE WHEN is_type THEN n.page_type ELSE p.page_type END, type_at = CASE WHEN is_type THEN n.type_at ELSE p.type_at END,
       page_fetch_status = CASE WHEN is_status THEN n.status ELSE p.page_fetch_status END,
       status_at = CASE WHEN is_status THEN n.status_at ELSE p.status_at END
  FROM compared n
 WHERE p.site_id = $1 AND p.page_id = n.page_id AND (is_title OR is_type OR is_status);

INSERT INTO analytics.reader AS r (site_id, reader_id, original_id, seen_at, text_key)
SELECT DISTINCT ON (s.reader_id) $1, s.reader_id, t.original_id, s.at, t.text_key
  FROM staged s, LATERAL (SELECT original_id, text_key FROM analytics.reader_state
                           WHERE site_id = $1 AND reader_state_id = s.reader_state_id OFFSET 0) t
 WHERE s.status IN (0, 2) AND s.reader_state_id IS NOT NULL AND s.reader_id < 4000000000000000
 ORDER BY s.reader_id, s.at DESC, t.original_id COLLATE "C" DESC
ON CONFLICT (site_id, reader_id) DO UPDATE
   SET original_id = excluded.original_id, seen_at = excluded.seen_at, text_key = excluded.text_key
 WHERE (excluded.seen_at, excluded.original_id COLLATE "C") > (r.seen_at, r.original_id);
