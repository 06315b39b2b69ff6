-- apply: stored rows whose derived values have changed. $1 site.
UPDATE analytics.page_view v
   SET session_id = d.session_id, pv = d.pv, is_last = d.is_last, prev_page_id = d.prev_page_id, next_page_id = d.next_page_id,
       is_newuser = coalesce(d.is_newuser, v.is_newuser), browse_sec = d.browse_sec, source_id = d.source_id, medium_id = d.medium_id,
       campaign_id = d.campaign_id, content_id = d.content_id
  FROM derived d
 WHERE v.site_id = $1 AND v.pv_id = d.pv_id AND NOT d.is_staged
   AND (v.session_id, v.pv, v.is_last, v.prev_page_id, v.next_page_id, v.is_newuser, v.browse_sec, v.source_id, v.medium_id, v.campaign_id,
        v.content_id)
       IS DISTINCT FROM (d.session_id, d.pv, d.is_last, d.prev_page_id, d.next_page_id, coalesce(d.is_newuser, v.is_newuser), d.browse_sec,
        d.source_id, d.medium_id, d.campaign_id, d.content_id);
