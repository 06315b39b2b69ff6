-- derive: values computed from the facts in chronological order, over stored and staged views of the affected visits. $1 site.
-- The last SELECT has the derived columns by their names in page_view; view-columns.ts says where a given value takes precedence.
WITH facts AS (
  SELECT pv_id, true AS is_staged, at, coalesce(order_no, pv_id) AS order_no, reader_id, page_id, session_id AS given_session_id, browse_sec,
         is_browse_derived, is_visit_traffic,
         view_source_id, view_medium_id, view_campaign_id, view_content_id
    FROM staged
  UNION ALL
  SELECT v.pv_id, false, v.at, coalesce(v.order_no, v.pv_id), v.reader_id, v.page_id, CASE WHEN v.session_id < :generated THEN v.session_id END,
         v.browse_sec, v.is_browse_derived, v.is_visit_traffic, v.view_source_id, v.view_medium_id, v.view_campaign_id, v.view_content_id
    FROM affected_visit a, LATERAL (
      SELECT * FROM analytics.page_view v WHERE v.site_id = (SELECT $1::smallint) AND v.session_id = a.session_id OFFSET 0) v
), paused AS (
  -- Views with a given visit do not connect views of a generated one. Until the last SELECT, a generated visit is the negative number ~pv_id
  -- of its first view.
  SELECT *, given_session_id IS NULL
            AND (at - max(at) FILTER (WHERE given_session_id IS NULL) OVER earlier <= :pause) IS NOT TRUE AS starts,
         coalesce(first_value(coalesce(given_session_id, ~pv_id)) OVER earlier, given_session_id, ~pv_id) AS first_visit
    FROM facts WINDOW earlier AS (PARTITION BY reader_id ORDER BY at, order_no, pv_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
), chains AS (
  -- All views of a visit have the same visit_of and chain.
  SELECT *, coalesce(given_session_id, ~reader_id) AS visit_of, CASE WHEN given_session_id IS NULL THEN count(*) FILTER (WHERE starts)
            OVER (PARTITION BY reader_id ORDER BY at, order_no, pv_id ROWS UNBOUNDED PRECEDING) END AS chain
    FROM paused
), visits AS (
  SELECT *, coalesce(given_session_id, ~first_value(pv_id) OVER visit) AS visit, row_number() OVER visit AS place,
         lag(page_id) OVER visit AS before, lead(page_id) OVER visit AS after, lead(at) OVER visit AS after_at,
         first_value(view_source_id) OVER taking AS source_id, first_value(view_medium_id) OVER taking AS medium_id,
         first_value(view_campaign_id) OVER taking AS campaign_id, first_value(view_content_id) OVER taking AS content_id
    FROM chains
  WINDOW visit AS (PARTITION BY visit_of, chain ORDER BY at, order_no, pv_id ROWS UNBOUNDED PRECEDING),
         taking AS (PARTITION BY visit_of, chain, is_visit_traffic ORDER BY at, order_no, pv_id ROWS UNBOUNDED PRECEDING)
)
SELECT is_staged, pv_id, CASE WHEN visit >= 0 THEN visit WHEN ~visit >= :generated THEN ~visit ELSE :visit_base + ~visit END AS session_id,
       place::integer AS pv, after IS NULL AS is_last, coalesce(before, 0) AS prev_page_id, coalesce(after, 0) AS next_page_id,
       -- Null, which keeps what is stored, for other visitors in a given visit.
       CASE WHEN is_staged OR reader_id IN (SELECT reader_id FROM affected_visitor) THEN visit = first_visit
              AND reader_id NOT IN (SELECT reader_id FROM affected_visitor r WHERE r.first_session_id IS NOT NULL AND NOT EXISTS (
                    SELECT FROM affected_visit a WHERE a.session_id = r.first_session_id))
              AND reader_id NOT IN (SELECT f.reader_id FROM affected_visitor r JOIN analytics.visitor_first f
                                      ON f.site_id = (SELECT $1::smallint) AND f.reader_id = r.reader_id) END AS is_newuser,
       CASE WHEN is_browse_derived THEN extract(epoch FROM after_at - at)::integer ELSE browse_sec END AS browse_sec,
       source_id, medium_id, campaign_id, content_id
  FROM visits;
