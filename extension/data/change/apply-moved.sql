-- apply: stored rows whose derived values have changed; given values stay. $1 site.
WITH moved AS MATERIALIZED (
  SELECT d.pv_id, n.*
    FROM derived d, LATERAL (
           SELECT * FROM analytics.page_view w WHERE w.site_id = (SELECT $1::smallint) AND w.pv_id = d.pv_id OFFSET 0) w,
         LATERAL (
           SELECT d.session_id, coalesce(w.given_pv, d.pv) AS pv, coalesce(w.given_is_last, d.is_last) AS is_last,
                  coalesce(w.given_prev_page_id, d.prev_page_id) AS prev_page_id, coalesce(w.given_next_page_id, d.next_page_id) AS next_page_id,
                  coalesce(w.given_is_newuser, d.is_newuser, w.is_newuser) AS is_newuser,
                  CASE WHEN w.is_browse_derived THEN d.browse_sec ELSE w.browse_sec END AS browse_sec,
                  CASE WHEN w.is_visit_traffic THEN w.source_id ELSE d.source_id END AS source_id,
                  CASE WHEN w.is_visit_traffic THEN w.medium_id ELSE d.medium_id END AS medium_id,
                  CASE WHEN w.is_visit_traffic THEN w.campaign_id ELSE d.campaign_id END AS campaign_id,
                  CASE WHEN w.is_visit_traffic THEN w.content_id ELSE d.content_id END AS content_id) n
   WHERE NOT d.is_staged
     AND (w.session_id, w.pv, w.is_last, w.prev_page_id, w.next_page_id, w.is_newuser, w.browse_sec, w.source_id, w.medium_id, w.campaign_id,
          w.content_id)
         IS DISTINCT FROM (n.session_id, n.pv, n.is_last, n.prev_page_id, n.next_page_id, n.is_newuser, n.browse_sec, n.source_id,
          n.medium_id, n.campaign_id, n.content_id)
)
UPDATE analytics.page_view v
   SET session_id = m.session_id, pv = m.pv, is_last = m.is_last, prev_page_id = m.prev_page_id, next_page_id = m.next_page_id,
       is_newuser = m.is_newuser, browse_sec = m.browse_sec, source_id = m.source_id, medium_id = m.medium_id,
       campaign_id = m.campaign_id, content_id = m.content_id
  FROM moved m
 WHERE v.site_id = (SELECT $1::smallint) AND v.pv_id = ANY (ARRAY(SELECT pv_id FROM moved)) AND v.pv_id = m.pv_id;
