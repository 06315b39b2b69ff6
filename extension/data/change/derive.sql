-- derive: values computed from the source data in chronological order, over (stored - replaced) and staged views of the affected visits. $1 site.
INSERT INTO derived
WITH facts AS (
  SELECT pv_id, true AS is_staged, at, reader_id, page_id, session_id AS given_session_id, pv AS given_pv, is_last AS given_is_last,
         prev_page_id AS given_prev, next_page_id AS given_next, is_newuser AS given_is_newuser, browse_sec, is_browse_derived,
         is_visit_traffic, source_id, medium_id, campaign_id, content_id, view_source_id, view_medium_id, view_campaign_id, view_content_id,
         CASE WHEN pv_id >= 4000000000000000 THEN pv_id ELSE 5000000000000000 + pv_id END AS own_session_id
    FROM staged WHERE status IN (0, 2)
  UNION ALL
  SELECT v.pv_id, false, v.at, v.reader_id, v.page_id, CASE WHEN v.session_id < 4000000000000000 THEN v.session_id END, v.given_pv,
         v.given_is_last, v.given_prev_page_id, v.given_next_page_id, v.given_is_newuser, v.browse_sec, v.is_browse_derived,
         v.is_visit_traffic, v.source_id, v.medium_id, v.campaign_id, v.content_id,
         v.view_source_id, v.view_medium_id, v.view_campaign_id, v.view_content_id,
         CASE WHEN v.pv_id >= 4000000000000000 THEN v.pv_id ELSE 5000000000000000 + v.pv_id END
    FROM affected_visit a, LATERAL (
      SELECT * FROM analytics.page_view v WHERE v.site_id = $1 AND v.session_id = a.session_id OFFSET 0) v
   WHERE v.pv_id NOT IN (SELECT pv_id FROM staged WHERE status IN (2, 5))
), paused AS (
  -- Views with a given visit do not link the views of a generated one.
  SELECT *, given_session_id IS NULL AND (at - max(at) FILTER (WHERE given_session_id IS NULL)
              OVER (PARTITION BY reader_id ORDER BY at, pv_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
              <= interval '30 minutes') IS NOT TRUE AS starts
    FROM facts
), chains AS (
  SELECT *, CASE WHEN given_session_id IS NULL THEN reader_id END AS chain_of,
         CASE WHEN given_session_id IS NULL THEN count(*) FILTER (WHERE starts) OVER visitor END AS chain,
         first_value(coalesce(given_session_id, own_session_id)) OVER visitor AS first_session_id
    FROM paused WINDOW visitor AS (PARTITION BY reader_id ORDER BY at, pv_id)
), visits AS (
  SELECT *, coalesce(given_session_id, first_value(own_session_id) OVER visit) AS session_id, row_number() OVER visit AS place,
         lag(page_id) OVER visit AS before, lead(page_id) OVER visit AS after, lead(at) OVER visit AS after_at,
         first_value(view_source_id) OVER taking AS first_source_id, first_value(view_medium_id) OVER taking AS first_medium_id,
         first_value(view_campaign_id) OVER taking AS first_campaign_id, first_value(view_content_id) OVER taking AS first_content_id
    FROM chains
  WINDOW visit AS (PARTITION BY given_session_id, chain_of, chain ORDER BY at, pv_id),
         taking AS (PARTITION BY given_session_id, chain_of, chain, is_visit_traffic ORDER BY at, pv_id)
)
SELECT pv_id, is_staged, session_id, coalesce(given_pv, place), coalesce(given_is_last, after IS NULL), coalesce(given_prev, before, 0),
       coalesce(given_next, after, 0),
       -- The other visitors of a given visit do not change.
       CASE WHEN is_staged OR reader_id IN (SELECT reader_id FROM affected_visitor) THEN coalesce(given_is_newuser, session_id = first_session_id
              AND reader_id NOT IN (SELECT reader_id FROM affected_visitor r WHERE r.first_session_id IS NOT NULL AND NOT EXISTS (
                    SELECT FROM affected_visit a WHERE a.session_id = r.first_session_id))
              AND reader_id NOT IN (SELECT f.reader_id FROM affected_visitor r JOIN analytics.visitor_first f
                                      ON f.site_id = $1 AND f.reader_id = r.reader_id)) END,
       CASE WHEN is_browse_derived THEN extract(epoch FROM after_at - at)::integer ELSE browse_sec END,
       CASE WHEN is_visit_traffic THEN source_id ELSE first_source_id END,
       CASE WHEN is_visit_traffic THEN medium_id ELSE first_medium_id END,
       CASE WHEN is_visit_traffic THEN campaign_id ELSE first_campaign_id END,
       CASE WHEN is_visit_traffic THEN content_id ELSE first_content_id END
  FROM visits;
