-- The page views of the spike: facts, assigned numbers and derived values. It replaces the table of a migrated, empty database.
DROP VIEW analytics.conversion_view;
DROP TABLE analytics.page_view;

-- The range of an id shows where it came from (decision 0001): below 4e15 from a file, from there up generated.
CREATE TABLE analytics.page_view (
  at           timestamptz NOT NULL,
  page_id      integer NOT NULL,
  site_id      smallint NOT NULL,
  device_id    smallint,
  session_id   bigint NOT NULL,
  reader_id    bigint NOT NULL,
  pv_id        bigint NOT NULL,
  pv           integer NOT NULL,
  irritation_click_count integer NOT NULL,
  is_last      boolean NOT NULL,
  is_newuser   boolean NOT NULL,
  deep_read    boolean NOT NULL,
  is_submit    boolean NOT NULL,
  prev_page_id integer NOT NULL,
  next_page_id integer NOT NULL,
  dead_click_image_count integer NOT NULL,
  scroll_back_count      integer NOT NULL,
  content_skip_count     integer NOT NULL,
  exploration_count      integer NOT NULL,
  -- 1 a number, 2 a string as id, 3 original_id, 4 address and user agent, 5 its visit, 6 nothing.
  named_by     smallint NOT NULL,
  -- The name of the source, if the site has named sources: rows from two sources are never the same row.
  source_no    smallint NOT NULL,
  source_id    integer,
  country_id   integer,
  medium_id    integer,
  campaign_id  integer,
  os_id        integer,
  browser_id   integer,
  language_id  integer,
  browse_sec   integer,
  speed_msec   integer,
  content_id   integer,
  window_inner_width  integer,
  window_inner_height integer,
  stop_max_sec        integer,
  page_state_id       integer,
  reader_state_id     integer,
  view_source_id      integer,
  view_medium_id      integer,
  view_campaign_id    integer,
  view_content_id     integer,
  region_id           integer,
  city_id             integer,
  given_pv            integer,
  given_prev_page_id  integer,
  given_next_page_id  integer,
  depth_position smallint,
  stop_max_pos   smallint,
  exit_pos       smallint,
  -- The name of the click id in its address.
  click_id_no    smallint,
  given_is_last    boolean,
  given_is_newuser boolean,
  -- The file says where the visit came from; null: the visit has the traffic of its first view.
  is_visit_traffic boolean,
  -- browse_sec is the time until the next view of the visit.
  is_browse_derived boolean,
  version_id   bigint,
  PRIMARY KEY (site_id, pv_id)
);
CREATE INDEX page_view_reader  ON analytics.page_view (site_id, reader_id, at);
CREATE INDEX page_view_session ON analytics.page_view (site_id, session_id);
CREATE INDEX page_view_page    ON analytics.page_view (site_id, page_id);
CREATE INDEX page_view_at      ON analytics.page_view (site_id, at);
CREATE INDEX page_view_rage    ON analytics.page_view (site_id, at) INCLUDE (page_id, irritation_click_count)
  WHERE irritation_click_count > 0;

-- The first view of visitors whose earliest views were removed by retention.
CREATE TABLE analytics.visitor_first (
  site_id   smallint NOT NULL,
  reader_id bigint NOT NULL,
  first_at  timestamptz NOT NULL,
  PRIMARY KEY (site_id, reader_id)
);

CREATE TRIGGER note_insert AFTER INSERT ON analytics.page_view REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION analytics.note_change('page_view', '(at AT TIME ZONE ''UTC'')::date - DATE ''1970-01-01''', 'each');
CREATE TRIGGER note_update AFTER UPDATE ON analytics.page_view REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows FOR EACH STATEMENT
  EXECUTE FUNCTION analytics.note_change('page_view', '(at AT TIME ZONE ''UTC'')::date - DATE ''1970-01-01''', 'each');
CREATE TRIGGER note_delete AFTER DELETE ON analytics.page_view REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT
  EXECUTE FUNCTION analytics.note_change('page_view', '(at AT TIME ZONE ''UTC'')::date - DATE ''1970-01-01''', 'each');
