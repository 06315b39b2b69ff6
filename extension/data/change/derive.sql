-- derive: the visits that a change affects, then their derived values. $1: site. $2 and $3: the number of parts in which the touched
-- views are derived, and the index of this part. All views of a visitor are in one part. $4: whether the site may have stored views.
-- A lookup that runs for each row must use the right index even if the statistics do not include the site yet, or if sites are
-- tiny. With the wrong index, it would read all rows of the site. So each of these lookups reads a range with a single value
-- in the order of that index, and other conditions are applied outside that subquery.

-- The visits that staged or touched rows belong to or belonged to, and the same visitor's visits within half an hour. The half hours
-- before and after a visitor's rows are merged, so that each stored view is read once. In most files, all visit ids are
-- greater than the stored ones, or all views are more than half an hour later than the stored ones; nothing is looked up in that case.
INSERT INTO affected (session_id)
SELECT session_id FROM staged
 WHERE $4 AND session_id <= (SELECT max(session_id) FROM analytics.page_view WHERE site_id = (SELECT $1::smallint) AND session_id < :generated)
UNION
SELECT session_id FROM :touched t WHERE session_id IS NOT NULL
UNION
SELECT v.session_id
  FROM (SELECT reader_id, unnest(range_agg(tstzrange(at - :pause, at + :pause, '[]'))) AS span
          FROM (SELECT reader_id, at FROM :touched t
                UNION ALL
                SELECT reader_id, at FROM staged
                 WHERE session_id IS NULL AND named_by <> :nothing AND $4) changed
         WHERE at <= (SELECT max(at) + :pause FROM analytics.page_view WHERE site_id = (SELECT $1::smallint))
         GROUP BY reader_id) c, LATERAL (
    SELECT session_id FROM analytics.page_view
     WHERE site_id = (SELECT $1::smallint) AND reader_id BETWEEN c.reader_id AND c.reader_id
       AND (reader_id, at) >= (c.reader_id, lower(c.span)) AND (reader_id, at) <= (c.reader_id, upper(c.span))
     ORDER BY reader_id, at OFFSET 0) v
 WHERE v.session_id >= :generated;

-- For each visitor in these rows, finds out whether an earlier visit is unaffected, whether the visitor was seen in views that are not
-- stored, and which visits contain the visitor's first view from before or after the change. Nothing is looked up for visitors whose ids
-- are greater than all known ones, which is the case for most new visitors. A view imported without a visitor or a visit gets a separate visit
-- and visitor.
WITH first_views AS MATERIALIZED (
  SELECT r.reader_id, r.at AS changed_at, v.at, v.session_id, v.order_no, v.pv_id
    FROM (SELECT reader_id, min(at) AS at
            FROM (SELECT reader_id, at FROM staged
                   WHERE named_by <> :nothing AND $4 AND reader_id <= greatest(
                     (SELECT max(reader_id) FROM analytics.page_view WHERE site_id = (SELECT $1::smallint)),
                     (SELECT max(reader_id) FROM analytics.visitor_first WHERE site_id = (SELECT $1::smallint)))
                  UNION ALL
                  SELECT reader_id, at FROM :touched t) changed
           GROUP BY reader_id) r
    LEFT JOIN LATERAL (
      SELECT at, session_id, coalesce(order_no, pv_id) AS order_no, pv_id FROM analytics.page_view
       WHERE site_id = (SELECT $1::smallint) AND reader_id BETWEEN r.reader_id AND r.reader_id
         AND pv_id NOT IN (SELECT row_id FROM :touched t)
       ORDER BY reader_id, at FETCH FIRST ROW WITH TIES) v ON true
), firsts AS MATERIALIZED (
  SELECT DISTINCT session_id FROM first_views WHERE at >= changed_at AND session_id NOT IN (SELECT session_id FROM affected)
), visitors AS (
  SELECT DISTINCT ON (reader_id) reader_id, session_id FROM first_views ORDER BY reader_id, order_no, pv_id
), seen AS (
  SELECT f.reader_id, min(f.first_at) AS seen_at
    FROM visitors v JOIN analytics.visitor_first f ON f.site_id = (SELECT $1::smallint) AND f.reader_id = v.reader_id GROUP BY f.reader_id
)
INSERT INTO affected (session_id, reader_id, is_known, seen_at)
SELECT session_id, NULL, NULL, NULL FROM firsts
UNION ALL
SELECT NULL, reader_id,
       session_id IS NOT NULL AND session_id NOT IN (SELECT session_id FROM affected) AND session_id NOT IN (SELECT session_id FROM firsts),
       seen_at
  FROM visitors LEFT JOIN seen USING (reader_id);

-- The derived values, computed over the stored and staged views of these visits. The last SELECT names the derived columns as in
-- page_view; view-columns.ts lists those for which a given value takes precedence. The numbers that window functions read are the
-- first columns, because PostgreSQL reads a row up to the column that it needs.
WITH facts AS (
  SELECT pv_id, at, reader_id, page_id, true AS is_staged, session_id AS given_session_id, is_visit_traffic,
         CASE WHEN coalesce(view_source_id, view_medium_id, view_campaign_id, view_content_id) IS NOT NULL
              THEN ARRAY[view_source_id, view_medium_id, view_campaign_id, view_content_id] END AS traffic,
         browse_sec, is_browse_derived, pv_id AS order_no
    FROM staged
  UNION ALL
  SELECT v.pv_id, v.at, v.reader_id, v.page_id, false, :given_visit, v.is_visit_traffic,
         CASE WHEN coalesce(v.view_source_id, v.view_medium_id, v.view_campaign_id, v.view_content_id) IS NOT NULL
              THEN ARRAY[v.view_source_id, v.view_medium_id, v.view_campaign_id, v.view_content_id] END,
         v.browse_sec, v.is_browse_derived, coalesce(v.order_no, v.pv_id)
    FROM affected a, LATERAL (
      SELECT * FROM analytics.page_view v
       WHERE v.site_id = (SELECT $1::smallint) AND v.session_id BETWEEN a.session_id AND a.session_id ORDER BY v.session_id OFFSET 0) v
   WHERE a.session_id IS NOT NULL
  UNION ALL
  -- A view that is not stored belongs to another visit, so the visitor is not new in later visits. Stored views from the same second
  -- come first.
  SELECT NULL, seen_at, reader_id, NULL, NULL, -1, NULL, NULL, NULL, NULL, 'Infinity' FROM affected WHERE seen_at IS NOT NULL
), paused AS (
  -- A view with a given visit id does not bridge a pause between views without one.
  SELECT *, given_session_id IS NULL
            AND (at - max(at) FILTER (WHERE given_session_id IS NULL) OVER earlier <= :pause) IS NOT TRUE AS starts
    FROM facts WINDOW earlier AS (PARTITION BY reader_id ORDER BY at, order_no, pv_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
), chains AS (
  -- All views of a visit have the same visit_of and chain. Until the last SELECT, the id of a generated visit is the negative number
  -- ~pv_id of its first view.
  SELECT *, coalesce(given_session_id, ~reader_id) AS visit_of,
         CASE WHEN given_session_id IS NULL THEN count(*) FILTER (WHERE starts) OVER so_far END AS chain,
         first_value(coalesce(given_session_id, ~pv_id)) OVER so_far AS first_visit
    FROM paused WINDOW so_far AS (PARTITION BY reader_id ORDER BY at, order_no, pv_id ROWS UNBOUNDED PRECEDING)
), visits AS (
  SELECT *, coalesce(given_session_id, ~first_value(pv_id) OVER visit) AS visit, row_number() OVER visit AS place,
         lag(page_id) OVER visit AS before, lead(page_id) OVER visit AS after, lead(at) OVER visit AS after_at,
         first_value(traffic) OVER taking AS taken
    FROM chains
  WINDOW visit AS (PARTITION BY visit_of, chain ORDER BY at, order_no, pv_id ROWS UNBOUNDED PRECEDING),
         taking AS (PARTITION BY visit_of, chain, is_visit_traffic ORDER BY at, order_no, pv_id ROWS UNBOUNDED PRECEDING)
)
SELECT is_staged, pv_id, CASE WHEN visit >= 0 THEN visit WHEN ~visit >= :generated THEN ~visit ELSE :visit_base + ~visit END AS session_id,
       place::integer AS pv, after IS NULL AS is_last, coalesce(before, 0) AS prev_page_id, coalesce(after, 0) AS next_page_id,
       -- For other visitors in a visit with a given id, this is null, which keeps the stored value.
       CASE WHEN is_staged OR reader_id IN (SELECT reader_id FROM affected WHERE reader_id IS NOT NULL)
            THEN visit = first_visit AND reader_id NOT IN (SELECT reader_id FROM affected WHERE is_known) END AS is_newuser,
       CASE WHEN is_browse_derived IS NOT TRUE THEN browse_sec
            WHEN after_at IS NOT NULL THEN least(extract(epoch FROM after_at - at), 2147483647)::integer END AS browse_sec,
       taken[1] AS source_id, taken[2] AS medium_id, taken[3] AS campaign_id, taken[4] AS content_id
  FROM visits WHERE is_staged IS NOT NULL;
