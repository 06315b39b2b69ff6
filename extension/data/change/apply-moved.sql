-- apply: stored rows whose derived values have changed; given values stay. $1 site.
UPDATE analytics.page_view v
   SET session_id = d.session_id, pv = d.pv, is_last = d.is_last, prev_page_id = d.prev_page_id, next_page_id = d.next_page_id,
       is_newuser = d.is_newuser, browse_sec = d.browse_sec, source_id = d.source_id, medium_id = d.medium_id,
       campaign_id = d.campaign_id, content_id = d.content_id
  FROM (SELECT d.pv_id, d.session_id, coalesce(w.given_pv, d.pv) AS pv, coalesce(w.given_is_last, d.is_last) AS is_last,
               coalesce(w.given_prev_page_id, d.prev_page_id) AS prev_page_id, coalesce(w.given_next_page_id, d.next_page_id) AS next_page_id,
               coalesce(w.given_is_newuser, d.is_newuser, w.is_newuser) AS is_newuser,
               CASE WHEN w.is_browse_derived THEN d.browse_sec ELSE w.browse_sec END AS browse_sec,
               CASE WHEN w.is_visit_traffic THEN w.source_id ELSE d.source_id END AS source_id,
               CASE WHEN w.is_visit_traffic THEN w.medium_id ELSE d.medium_id END AS medium_id,
               CASE WHEN w.is_visit_traffic THEN w.campaign_id ELSE d.campaign_id END AS campaign_id,
               CASE WHEN w.is_visit_traffic THEN w.content_id ELSE d.content_id END AS content_id
          FROM derived d JOIN analytics.page_view w ON w.site_id = $1 AND w.pv_id = d.pv_id WHERE NOT d.is_staged) d
 WHERE v.site_id = $1 AND v.pv_id = d.pv_id
   AND (v.session_id, v.pv, v.is_last, v.prev_page_id, v.next_page_id, v.is_newuser, v.browse_sec, v.source_id, v.medium_id, v.campaign_id,
        v.content_id)
       IS DISTINCT FROM (d.session_id, d.pv, d.is_last, d.prev_page_id, d.next_page_id, d.is_newuser, d.browse_sec, d.source_id,
        d.medium_id, d.campaign_id, d.content_id);
