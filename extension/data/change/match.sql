-- match, second part: which staged rows are already stored, and what they change. $1 site, $2 and $3: the smallest and largest stored pv_id
-- among given ones, $4 and $5: the first and last stored time among those of rows without an id.

-- Rows that are stored: looked up one by one by index, regardless of the statistics of a table that is still being filled.
UPDATE staged s SET status = 1, pv_id = m.pv_id, reader_id = m.reader_id
  FROM (SELECT f.line, v.pv_id, v.reader_id
          FROM staged f, LATERAL (SELECT pv_id, coalesce(f.reader_id, reader_id) AS reader_id FROM analytics.page_view
                                   WHERE site_id = $1 AND pv_id = f.pv_id OFFSET 0) v
         WHERE f.status = 0 AND f.pv_id BETWEEN $2 AND $3
        UNION ALL
        SELECT f.line, v.pv_id, v.reader_id
          FROM staged f, LATERAL (SELECT pv_id, reader_id FROM analytics.page_view
                                   WHERE site_id = $1 AND reader_id = f.reader_id AND at = f.at AND page_id = f.page_id
                                     AND source_no = f.source_no AND pv_id >= 4000000000000000 OFFSET 0) v
         WHERE f.status = 0 AND f.pv_id >= 4000000000000000 AND f.named_by <> 6 AND f.at BETWEEN $4 AND $5
        UNION ALL
        SELECT f.line, v.pv_id, v.reader_id
          FROM staged f, LATERAL (SELECT pv_id, reader_id FROM analytics.page_view
                                   WHERE site_id = $1 AND at = f.at AND page_id = f.page_id AND source_no = f.source_no
                                     AND named_by = 6 AND pv_id >= 4000000000000000 OFFSET 0) v
         WHERE f.status = 0 AND f.pv_id >= 4000000000000000 AND f.named_by = 6 AND f.at BETWEEN $4 AND $5) m
 WHERE s.line = m.line;

-- A row that changes something keeps the stored values that its file does not provide.
UPDATE staged s
   SET status = 2, site_id = v.site_id, named_by = CASE WHEN s.named_by = 6 THEN v.named_by ELSE s.named_by END,
       is_visit_traffic = coalesce(s.is_visit_traffic, v.is_visit_traffic),
       is_browse_derived = CASE WHEN s.browse_sec IS NULL THEN v.is_browse_derived END,
       at = coalesce(s.at, v.at), page_id = coalesce(s.page_id, v.page_id), device_id = coalesce(s.device_id, v.device_id),
       reader_id = coalesce(s.reader_id, v.reader_id),
       irritation_click_count = coalesce(s.irritation_click_count, v.irritation_click_count),
       deep_read = coalesce(s.deep_read, v.deep_read), is_submit = coalesce(s.is_submit, v.is_submit),
       dead_click_image_count = coalesce(s.dead_click_image_count, v.dead_click_image_count),
       scroll_back_count = coalesce(s.scroll_back_count, v.scroll_back_count),
       content_skip_count = coalesce(s.content_skip_count, v.content_skip_count),
       exploration_count = coalesce(s.exploration_count, v.exploration_count), country_id = coalesce(s.country_id, v.country_id),
       os_id = coalesce(s.os_id, v.os_id), browser_id = coalesce(s.browser_id, v.browser_id),
       language_id = coalesce(s.language_id, v.language_id), speed_msec = coalesce(s.speed_msec, v.speed_msec),
       window_inner_width = coalesce(s.window_inner_width, v.window_inner_width),
       window_inner_height = coalesce(s.window_inner_height, v.window_inner_height),
       stop_max_sec = coalesce(s.stop_max_sec, v.stop_max_sec), page_state_id = coalesce(s.page_state_id, v.page_state_id),
       reader_state_id = coalesce(s.reader_state_id, v.reader_state_id),
       view_source_id = coalesce(s.view_source_id, v.view_source_id), view_medium_id = coalesce(s.view_medium_id, v.view_medium_id),
       view_campaign_id = coalesce(s.view_campaign_id, v.view_campaign_id),
       view_content_id = coalesce(s.view_content_id, v.view_content_id),
       depth_position = coalesce(s.depth_position, v.depth_position),
       stop_max_pos = coalesce(s.stop_max_pos, v.stop_max_pos), exit_pos = coalesce(s.exit_pos, v.exit_pos),
       version_id = coalesce(s.version_id, v.version_id),
       session_id = coalesce(s.session_id, CASE WHEN v.session_id < 4000000000000000 THEN v.session_id END),
       pv = coalesce(s.pv, v.given_pv), is_last = coalesce(s.is_last, v.given_is_last),
       prev_page_id = coalesce(s.prev_page_id, v.given_prev_page_id), next_page_id = coalesce(s.next_page_id, v.given_next_page_id),
       is_newuser = coalesce(s.is_newuser, v.given_is_newuser),
       browse_sec = coalesce(s.browse_sec, CASE WHEN v.is_browse_derived IS NULL THEN v.browse_sec END),
       source_id = coalesce(s.source_id, CASE WHEN v.is_visit_traffic THEN v.source_id END),
       medium_id = coalesce(s.medium_id, CASE WHEN v.is_visit_traffic THEN v.medium_id END),
       campaign_id = coalesce(s.campaign_id, CASE WHEN v.is_visit_traffic THEN v.campaign_id END),
       content_id = coalesce(s.content_id, CASE WHEN v.is_visit_traffic THEN v.content_id END)
  FROM analytics.page_view v
 WHERE v.site_id = $1 AND v.pv_id = s.pv_id AND s.status = 1 AND s.twin_of IS NULL
   AND (coalesce(s.at, v.at), coalesce(s.page_id, v.page_id), coalesce(s.device_id, v.device_id), coalesce(s.reader_id, v.reader_id),
         coalesce(s.irritation_click_count, v.irritation_click_count), coalesce(s.deep_read, v.deep_read),
         coalesce(s.is_submit, v.is_submit), coalesce(s.dead_click_image_count, v.dead_click_image_count),
         coalesce(s.scroll_back_count, v.scroll_back_count), coalesce(s.content_skip_count, v.content_skip_count),
         coalesce(s.exploration_count, v.exploration_count), coalesce(s.country_id, v.country_id), coalesce(s.os_id, v.os_id),
         coalesce(s.browser_id, v.browser_id), coalesce(s.language_id, v.language_id), coalesce(s.speed_msec, v.speed_msec),
         coalesce(s.window_inner_width, v.window_inner_width), coalesce(s.window_inner_height, v.window_inner_height),
         coalesce(s.stop_max_sec, v.stop_max_sec), coalesce(s.page_state_id, v.page_state_id),
         coalesce(s.reader_state_id, v.reader_state_id), coalesce(s.view_source_id, v.view_source_id),
         coalesce(s.view_medium_id, v.view_medium_id), coalesce(s.view_campaign_id, v.view_campaign_id),
         coalesce(s.view_content_id, v.view_content_id),
         coalesce(s.depth_position, v.depth_position), coalesce(s.stop_max_pos, v.stop_max_pos), coalesce(s.exit_pos, v.exit_pos),
         coalesce(s.version_id, v.version_id),
         coalesce(s.session_id, CASE WHEN v.session_id < 4000000000000000 THEN v.session_id END), coalesce(s.pv, v.given_pv),
         coalesce(s.is_last, v.given_is_last), coalesce(s.prev_page_id, v.given_prev_page_id),
         coalesce(s.next_page_id, v.given_next_page_id), coalesce(s.is_newuser, v.given_is_newuser),
         coalesce(s.browse_sec, CASE WHEN v.is_browse_derived IS NULL THEN v.browse_sec END),
         coalesce(s.source_id, CASE WHEN v.is_visit_traffic THEN v.source_id END),
         coalesce(s.medium_id, CASE WHEN v.is_visit_traffic THEN v.medium_id END),
         coalesce(s.campaign_id, CASE WHEN v.is_visit_traffic THEN v.campaign_id END),
         coalesce(s.content_id, CASE WHEN v.is_visit_traffic THEN v.content_id END))
       IS DISTINCT FROM (v.at, v.page_id, v.device_id, v.reader_id, v.irritation_click_count, v.deep_read, v.is_submit,
                         v.dead_click_image_count, v.scroll_back_count, v.content_skip_count, v.exploration_count, v.country_id,
                         v.os_id, v.browser_id, v.language_id, v.speed_msec, v.window_inner_width, v.window_inner_height,
                         v.stop_max_sec, v.page_state_id, v.reader_state_id, v.view_source_id, v.view_medium_id, v.view_campaign_id,
                         v.view_content_id, v.depth_position, v.stop_max_pos, v.exit_pos,
                         v.version_id, CASE WHEN v.session_id < 4000000000000000 THEN v.session_id END, v.given_pv, v.given_is_last,
                         v.given_prev_page_id, v.given_next_page_id, v.given_is_newuser,
                         CASE WHEN v.is_browse_derived IS NULL THEN v.browse_sec END,
                         CASE WHEN v.is_visit_traffic THEN v.source_id END, CASE WHEN v.is_visit_traffic THEN v.medium_id END,
                         CASE WHEN v.is_visit_traffic THEN v.campaign_id END, CASE WHEN v.is_visit_traffic THEN v.content_id END);
