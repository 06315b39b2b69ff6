-- match: the first row with a given key takes values from the $1th of the other rows with that key.
UPDATE staged s
   SET device_id = coalesce(t.device_id, s.device_id),
       irritation_click_count = coalesce(t.irritation_click_count, s.irritation_click_count),
       deep_read = coalesce(t.deep_read, s.deep_read), is_submit = coalesce(t.is_submit, s.is_submit),
       dead_click_image_count = coalesce(t.dead_click_image_count, s.dead_click_image_count),
       scroll_back_count = coalesce(t.scroll_back_count, s.scroll_back_count),
       content_skip_count = coalesce(t.content_skip_count, s.content_skip_count),
       exploration_count = coalesce(t.exploration_count, s.exploration_count), country_id = coalesce(t.country_id, s.country_id),
       os_id = coalesce(t.os_id, s.os_id), browser_id = coalesce(t.browser_id, s.browser_id),
       language_id = coalesce(t.language_id, s.language_id), speed_msec = coalesce(t.speed_msec, s.speed_msec),
       window_inner_width = coalesce(t.window_inner_width, s.window_inner_width),
       window_inner_height = coalesce(t.window_inner_height, s.window_inner_height),
       stop_max_sec = coalesce(t.stop_max_sec, s.stop_max_sec), page_state_id = coalesce(t.page_state_id, s.page_state_id),
       reader_state_id = coalesce(t.reader_state_id, s.reader_state_id),
       view_source_id = coalesce(t.view_source_id, s.view_source_id), view_medium_id = coalesce(t.view_medium_id, s.view_medium_id),
       view_campaign_id = coalesce(t.view_campaign_id, s.view_campaign_id),
       view_content_id = coalesce(t.view_content_id, s.view_content_id),
       depth_position = coalesce(t.depth_position, s.depth_position),
       stop_max_pos = coalesce(t.stop_max_pos, s.stop_max_pos), exit_pos = coalesce(t.exit_pos, s.exit_pos),
       version_id = coalesce(t.version_id, s.version_id),
       session_id = coalesce(t.session_id, s.session_id), pv = coalesce(t.pv, s.pv), is_last = coalesce(t.is_last, s.is_last),
       prev_page_id = coalesce(t.prev_page_id, s.prev_page_id), next_page_id = coalesce(t.next_page_id, s.next_page_id),
       is_newuser = coalesce(t.is_newuser, s.is_newuser), browse_sec = coalesce(t.browse_sec, s.browse_sec),
       source_id = coalesce(t.source_id, s.source_id), medium_id = coalesce(t.medium_id, s.medium_id),
       campaign_id = coalesce(t.campaign_id, s.campaign_id), content_id = coalesce(t.content_id, s.content_id),
       is_visit_traffic = coalesce(t.is_visit_traffic, s.is_visit_traffic)
  FROM (SELECT *, row_number() OVER (PARTITION BY twin_of ORDER BY line) AS place FROM staged WHERE twin_of IS NOT NULL) t
 WHERE s.line = t.twin_of AND t.place = $1;
