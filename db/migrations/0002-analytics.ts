// Owns the physical form of the measured data, schema `analytics`: every key begins with the site. Frozen once landed.
import type { Knex } from 'knex';

const UP = `
CREATE SCHEMA analytics;

CREATE TABLE analytics.site (
  site_id      smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tracking_id  text NOT NULL UNIQUE CHECK (tracking_id ~ '^[a-zA-Z0-9_-]+$' AND tracking_id <> 'all'),
  domain       text NOT NULL,
  name         text NOT NULL,
  timezone     text NOT NULL,
  is_default   boolean NOT NULL DEFAULT false,
  -- Raised by every transaction that changes the site's data.
  data_version bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX site_default ON analytics.site (is_default) WHERE is_default;

CREATE TABLE analytics.goal (
  site_id   smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  goal_no   smallint NOT NULL CHECK (goal_no BETWEEN 1 AND 10),
  name      text NOT NULL,
  type      text NOT NULL,
  condition jsonb NOT NULL,
  PRIMARY KEY (site_id, goal_no)
);

CREATE TABLE analytics.import_run (
  import_id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  material    text NOT NULL,
  source      text NOT NULL,
  started_at  timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  rows_read      bigint NOT NULL,
  rows_added     bigint NOT NULL,
  rows_unchanged bigint NOT NULL,
  rows_rejected  bigint NOT NULL
);
CREATE INDEX import_run_site ON analytics.import_run (site_id, import_id);

-- Dictionaries. text_key = the first 16 bytes of SHA-256 over the texts that the id gives out: a text of any
-- length is unique and found by index. Ids begin at 1 within a site.
CREATE TABLE analytics.page (
  site_id           smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  page_id           integer NOT NULL,
  url               text NOT NULL,
  title             text,
  -- The instant of the view that the title was taken from: the newest title stays.
  title_at          timestamptz,
  page_type         integer,
  page_fetch_status smallint,
  text_key          uuid NOT NULL,
  PRIMARY KEY (site_id, page_id),
  UNIQUE (site_id, text_key)
);

CREATE TABLE analytics.source (
  site_id       smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  source_id     integer NOT NULL,
  source_domain text,
  referrer      text,
  utm_source    text,
  utm_term      text,
  text_key      uuid NOT NULL,
  PRIMARY KEY (site_id, source_id),
  UNIQUE (site_id, text_key)
);

CREATE TABLE analytics.medium (
  site_id    smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  medium_id  integer NOT NULL,
  utm_medium text NOT NULL,
  text_key   uuid NOT NULL,
  PRIMARY KEY (site_id, medium_id),
  UNIQUE (site_id, text_key)
);

CREATE TABLE analytics.campaign (
  site_id      smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  campaign_id  integer NOT NULL,
  utm_campaign text NOT NULL,
  text_key     uuid NOT NULL,
  PRIMARY KEY (site_id, campaign_id),
  UNIQUE (site_id, text_key)
);

CREATE TABLE analytics.content (
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  content_id  integer NOT NULL,
  utm_content text NOT NULL,
  text_key    uuid NOT NULL,
  PRIMARY KEY (site_id, content_id),
  UNIQUE (site_id, text_key)
);

CREATE TABLE analytics.selector (
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  selector_id integer NOT NULL,
  selector    text NOT NULL,
  text_key    uuid NOT NULL,
  PRIMARY KEY (site_id, selector_id),
  UNIQUE (site_id, text_key)
);

CREATE TABLE analytics.keyword (
  site_id  smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  query_id integer NOT NULL,
  keyword  text NOT NULL,
  text_key uuid NOT NULL,
  PRIMARY KEY (site_id, query_id),
  UNIQUE (site_id, text_key)
);

CREATE TABLE analytics.event_name (
  site_id       smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  event_name_id integer NOT NULL,
  event_name    text NOT NULL,
  -- The parameters seen so far: name -> number | string.
  observed      jsonb NOT NULL DEFAULT '{}',
  text_key      uuid NOT NULL,
  PRIMARY KEY (site_id, event_name_id),
  UNIQUE (site_id, text_key)
);

-- Readers that carry an id of the site's own.
CREATE TABLE analytics.reader (
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  reader_id   bigint NOT NULL,
  original_id text NOT NULL,
  seen_at     timestamptz NOT NULL,
  text_key    uuid NOT NULL,
  PRIMARY KEY (site_id, reader_id)
);
CREATE INDEX reader_text_key ON analytics.reader (site_id, text_key);

CREATE TABLE analytics.os       (os_id integer PRIMARY KEY, os text NOT NULL, text_key uuid NOT NULL UNIQUE);
CREATE TABLE analytics.browser  (browser_id integer PRIMARY KEY, browser text NOT NULL, text_key uuid NOT NULL UNIQUE);
CREATE TABLE analytics.language (language_id integer PRIMARY KEY, language text NOT NULL, text_key uuid NOT NULL UNIQUE);
CREATE TABLE analytics.country  (country_id integer PRIMARY KEY, country_code text NOT NULL, text_key uuid NOT NULL UNIQUE);
CREATE TABLE analytics.device   (device_id smallint PRIMARY KEY, device_type text NOT NULL UNIQUE);
INSERT INTO analytics.device VALUES (1, 'PC'), (2, 'tablet'), (3, 'SP');

-- Hot columns first: fixed width and never null, so that reading them costs nothing of what follows.
-- at = start of the view in whole seconds. made = which ids and session fields the importer computed (bit set).
CREATE TABLE analytics.page_view (
  at          timestamptz NOT NULL,
  page_id     integer NOT NULL,
  site_id     smallint NOT NULL,
  device_id   smallint NOT NULL,
  session_id  bigint NOT NULL,
  reader_id   bigint NOT NULL,
  pv          integer NOT NULL,
  irritation_click_count integer NOT NULL,
  is_last     boolean NOT NULL,
  is_newuser  boolean NOT NULL,
  deep_read   boolean NOT NULL,
  is_submit   boolean NOT NULL,
  prev_page_id integer NOT NULL,
  next_page_id integer NOT NULL,
  pv_id       bigint NOT NULL,
  source_id   integer,
  country_id  integer,
  medium_id   integer,
  campaign_id integer,
  os_id       integer,
  browser_id  integer,
  language_id integer,
  browse_sec  integer,
  speed_msec  integer,
  content_id  integer,
  version_id  bigint,
  depth_position smallint,
  stop_max_pos   smallint,
  exit_pos       smallint,
  made           smallint NOT NULL,
  stop_max_sec   integer,
  dead_click_image_count integer NOT NULL,
  scroll_back_count      integer NOT NULL,
  content_skip_count     integer NOT NULL,
  exploration_count      integer NOT NULL,
  window_inner_width     integer,
  window_inner_height    integer,
  -- Given when pv_id was made here: finds the row again when its file is imported twice.
  fingerprint uuid,
  PRIMARY KEY (site_id, pv_id)
);
CREATE INDEX page_view_at      ON analytics.page_view (site_id, at);
CREATE INDEX page_view_page    ON analytics.page_view (site_id, page_id, at);
CREATE INDEX page_view_session ON analytics.page_view (site_id, session_id);
CREATE INDEX page_view_reader  ON analytics.page_view (site_id, reader_id, at);
CREATE INDEX page_view_rage    ON analytics.page_view (site_id, at) INCLUDE (page_id, irritation_click_count)
  WHERE irritation_click_count > 0;
CREATE UNIQUE INDEX page_view_fingerprint ON analytics.page_view (site_id, fingerprint) WHERE fingerprint IS NOT NULL;

-- at = time of the page view + event_sec; view_at = time of the page view, session and page are its own.
CREATE TABLE analytics.click (
  at          timestamptz NOT NULL,
  selector_id integer NOT NULL,
  site_id     smallint NOT NULL,
  action_id   smallint NOT NULL,
  pv_id       bigint NOT NULL,
  session_id  bigint NOT NULL,
  page_id     integer NOT NULL,
  event_sec   integer NOT NULL,
  view_at     timestamptz NOT NULL,
  click_id    bigint NOT NULL,
  is_external boolean NOT NULL,
  page_x_pct  double precision,
  page_y_pct  double precision,
  element_text  text,
  element_id    text,
  element_class text,
  element_data  text,
  to_url        text,
  fingerprint   uuid NOT NULL,
  PRIMARY KEY (site_id, click_id),
  UNIQUE (site_id, fingerprint)
);
CREATE INDEX click_at       ON analytics.click (site_id, at);
CREATE INDEX click_pv       ON analytics.click (site_id, pv_id);
CREATE INDEX click_selector ON analytics.click (site_id, selector_id, at);

CREATE TABLE analytics.event (
  at            timestamptz NOT NULL,
  event_name_id integer NOT NULL,
  site_id       smallint NOT NULL,
  pv_id         bigint NOT NULL,
  session_id    bigint NOT NULL,
  page_id       integer NOT NULL,
  view_at       timestamptz NOT NULL,
  event_id      bigint NOT NULL,
  params        jsonb NOT NULL,
  fingerprint   uuid NOT NULL,
  PRIMARY KEY (site_id, event_id),
  UNIQUE (site_id, fingerprint)
);
CREATE INDEX event_at   ON analytics.event (site_id, at);
CREATE INDEX event_pv   ON analytics.event (site_id, pv_id);
CREATE INDEX event_name_at ON analytics.event (site_id, event_name_id, at);

CREATE TABLE analytics.search_day (
  day           date NOT NULL,
  page_id       integer NOT NULL,
  query_id      integer NOT NULL,
  site_id       smallint NOT NULL,
  search_type   smallint NOT NULL CHECK (search_type BETWEEN 1 AND 3),
  clicks        integer NOT NULL,
  impressions   integer NOT NULL,
  position_x100 integer NOT NULL,
  PRIMARY KEY (site_id, day, page_id, query_id, search_type)
);
CREATE INDEX search_day_page ON analytics.search_day (site_id, page_id, day);

CREATE TABLE analytics.page_version (
  site_id     smallint NOT NULL,
  version_id  bigint NOT NULL,
  page_id     integer NOT NULL,
  device_id   smallint NOT NULL,
  version_no  integer NOT NULL,
  update_date date NOT NULL,
  PRIMARY KEY (site_id, version_id),
  UNIQUE (site_id, page_id, device_id, version_no)
);

-- One row per converting session: its first view that triggers the goal. Derived; rebuilt when the goal changes.
CREATE TABLE analytics.conversion (
  at         timestamptz NOT NULL,
  site_id    smallint NOT NULL,
  goal_no    smallint NOT NULL,
  session_id bigint NOT NULL,
  pv_id      bigint NOT NULL,
  PRIMARY KEY (site_id, goal_no, session_id),
  FOREIGN KEY (site_id, goal_no) REFERENCES analytics.goal ON DELETE CASCADE
);
CREATE INDEX conversion_at ON analytics.conversion (site_id, goal_no, at);

CREATE TABLE analytics.ga4_age_gender (
  site_id smallint NOT NULL,
  month   date NOT NULL,
  age     smallint NOT NULL CHECK (age BETWEEN 0 AND 6),
  gender  smallint NOT NULL CHECK (gender BETWEEN 0 AND 2),
  sessions integer NOT NULL,
  active_users integer NOT NULL,
  PRIMARY KEY (site_id, month, age, gender)
);

CREATE TABLE analytics.ga4_country (
  site_id      smallint NOT NULL,
  month        date NOT NULL,
  country_code text NOT NULL,
  sessions     integer NOT NULL,
  active_users integer NOT NULL,
  PRIMARY KEY (site_id, month, country_code)
);

CREATE TABLE analytics.ga4_region (
  site_id      smallint NOT NULL,
  month        date NOT NULL,
  region       integer NOT NULL,
  region_name  text,
  sessions     integer NOT NULL,
  active_users integer NOT NULL,
  PRIMARY KEY (site_id, month, region)
);
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP SCHEMA analytics CASCADE');
}
