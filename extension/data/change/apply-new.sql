-- apply: each new row is written once, in chronological order. $1 site.
INSERT INTO analytics.page_view (
  at, page_id, site_id, device_id, session_id, reader_id, pv_id, pv, irritation_click_count, is_last, is_newuser, deep_read, is_submit,
  prev_page_id, next_page_id, dead_click_image_count, scroll_back_count, content_skip_count, exploration_count, named_by, source_no,
  source_id, country_id, medium_id, campaign_id, os_id, browser_id, language_id, browse_sec, speed_msec, content_id,
  window_inner_width, window_inner_height, stop_max_sec, page_state_id, reader_state_id, view_source_id, view_medium_id,
  view_campaign_id, view_content_id, given_pv, given_prev_page_id, given_next_page_id, depth_position, stop_max_pos,
  exit_pos, given_is_last, given_is_newuser, is_visit_traffic, is_browse_derived, version_id, location_id)
SELECT
  s.at, s.page_id, s.site_id, s.device_id, d.session_id, s.reader_id, s.pv_id, coalesce(s.pv, d.pv),
  coalesce(s.irritation_click_count, 0), coalesce(s.is_last, d.is_last), coalesce(s.is_newuser, d.is_newuser),
  coalesce(s.deep_read, false), coalesce(s.is_submit, false), coalesce(s.prev_page_id, d.prev_page_id),
  coalesce(s.next_page_id, d.next_page_id),
  coalesce(s.dead_click_image_count, 0), coalesce(s.scroll_back_count, 0), coalesce(s.content_skip_count, 0),
  coalesce(s.exploration_count, 0), s.named_by, s.source_no,
  CASE WHEN s.is_visit_traffic THEN s.source_id ELSE d.source_id END, s.country_id,
  CASE WHEN s.is_visit_traffic THEN s.medium_id ELSE d.medium_id END,
  CASE WHEN s.is_visit_traffic THEN s.campaign_id ELSE d.campaign_id END, s.os_id, s.browser_id, s.language_id,
  coalesce(s.browse_sec, d.browse_sec), s.speed_msec, CASE WHEN s.is_visit_traffic THEN s.content_id ELSE d.content_id END,
  s.window_inner_width, s.window_inner_height, s.stop_max_sec,
  s.page_state_id, s.reader_state_id, s.view_source_id, s.view_medium_id, s.view_campaign_id, s.view_content_id,
  s.pv, s.prev_page_id, s.next_page_id, s.depth_position, s.stop_max_pos, s.exit_pos, s.is_last, s.is_newuser,
  s.is_visit_traffic, s.is_browse_derived, s.version_id, s.location_id
  FROM staged s JOIN derived d ON d.pv_id = s.pv_id AND d.is_staged
 ORDER BY s.at, s.pv_id;
