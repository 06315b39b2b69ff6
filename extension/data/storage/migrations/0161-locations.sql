-- Region and city, as far as a file or a GeoIP database knows them. Their names are unique within a country at most.
CREATE TABLE analytics.location (
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  location_id integer NOT NULL,
  region      text,
  city        text,
  text_key    uuid NOT NULL,
  PRIMARY KEY (site_id, location_id),
  UNIQUE (site_id, text_key)
);
CREATE TRIGGER note_insert AFTER INSERT ON analytics.location REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_change('location', 'location_id', 'span');
CREATE TRIGGER note_update AFTER UPDATE ON analytics.location REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_change('location', 'location_id', 'span');
CREATE TRIGGER note_delete AFTER DELETE ON analytics.location REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_change('location', 'location_id', 'span');
CREATE TRIGGER note_truncate AFTER TRUNCATE ON analytics.location
  FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_truncate('0', '2147483647');

ALTER TABLE analytics.page_view ADD COLUMN location_id integer;

DROP VIEW analytics.conversion_view;
CREATE VIEW analytics.conversion_view AS
SELECT
  conversion.at, page_view.page_id, page_view.site_id, page_view.device_id, page_view.session_id,
  page_view.reader_id, page_view.pv, page_view.irritation_click_count, page_view.is_last, page_view.is_newuser,
  page_view.deep_read, page_view.is_submit, page_view.prev_page_id, page_view.next_page_id, page_view.pv_id,
  page_view.source_id, page_view.country_id, page_view.medium_id, page_view.campaign_id, page_view.os_id,
  page_view.browser_id, page_view.language_id, page_view.browse_sec, page_view.speed_msec, page_view.content_id,
  page_view.version_id, page_view.depth_position, page_view.stop_max_pos, page_view.exit_pos,
  page_view.stop_max_sec, page_view.dead_click_image_count, page_view.scroll_back_count,
  page_view.content_skip_count, page_view.exploration_count, page_view.window_inner_width,
  page_view.window_inner_height, page_view.location_id, conversion.goal_no
FROM analytics.conversion JOIN analytics.page_view USING (site_id, pv_id, session_id, at);
