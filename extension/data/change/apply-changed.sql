-- apply: stored rows whose source data a file changes. $1 site.
UPDATE analytics.page_view v
   SET at = s.at, page_id = s.page_id, device_id = s.device_id, session_id = d.session_id, reader_id = s.reader_id,
       pv = coalesce(s.pv, d.pv), irritation_click_count = s.irritation_click_count, is_last = coalesce(s.is_last, d.is_last),
       is_newuser = coalesce(s.is_newuser, d.is_newuser), deep_read = s.deep_read, is_submit = s.is_submit,
       prev_page_id = coalesce(s.prev_page_id, d.prev_page_id), next_page_id = coalesce(s.next_page_id, d.next_page_id),
       dead_click_image_count = s.dead_click_image_count, scroll_back_count = s.scroll_back_count,
       content_skip_count = s.content_skip_count, exploration_count = s.exploration_count, named_by = s.named_by,
       source_id = CASE WHEN s.is_visit_traffic THEN s.source_id ELSE d.source_id END, country_id = s.country_id,
       medium_id = CASE WHEN s.is_visit_traffic THEN s.medium_id ELSE d.medium_id END,
       campaign_id = CASE WHEN s.is_visit_traffic THEN s.campaign_id ELSE d.campaign_id END, os_id = s.os_id, browser_id = s.browser_id,
       language_id = s.language_id, browse_sec = coalesce(s.browse_sec, d.browse_sec), speed_msec = s.speed_msec,
       content_id = CASE WHEN s.is_visit_traffic THEN s.content_id ELSE d.content_id END, window_inner_width = s.window_inner_width,
       window_inner_height = s.window_inner_height, stop_max_sec = s.stop_max_sec, page_state_id = s.page_state_id,
       reader_state_id = s.reader_state_id, view_source_id = s.view_source_id, view_medium_id = s.view_medium_id,
       view_campaign_id = s.view_campaign_id, view_content_id = s.view_content_id, given_pv = s.pv, given_prev_page_id = s.prev_page_id,
       given_next_page_id = s.next_page_id, depth_position = s.depth_position, stop_max_pos = s.stop_max_pos, exit_pos = s.exit_pos,
       given_is_last = s.is_last, given_is_newuser = s.is_newuser, is_visit_traffic = s.is_visit_traffic,
       is_browse_derived = s.is_browse_derived, version_id = s.version_id
  FROM staged s JOIN derived d ON d.pv_id = s.pv_id AND d.is_staged
 WHERE v.site_id = $1 AND v.pv_id = s.pv_id AND s.status = 2;
