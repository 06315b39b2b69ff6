-- Analytics: sites and goals, dimension tables, the measured rows, imports, settings of the installation, what changed.
-- Every key of measured data begins with the site.
CREATE SCHEMA analytics;

CREATE TABLE analytics.site (
  site_id      smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tracking_id  text NOT NULL UNIQUE CHECK (tracking_id ~ '^[a-zA-Z0-9_-]+$' AND tracking_id <> 'all'),
  domain       text NOT NULL,
  name         text NOT NULL,
  timezone     text NOT NULL,
  is_default   boolean NOT NULL DEFAULT false,
  -- Grows with every transaction that changes the site's data.
  data_version bigint NOT NULL DEFAULT 0,
  -- The transaction that raised it last.
  changed_in   xid8
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

-- Dimension tables of a site: an id for each text, from 1 on. text_key is the first 16 bytes of the SHA-256 of the texts,
-- so that an index finds a text of any length and keeps it unique.
CREATE TABLE analytics.page (
  site_id           smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  page_id           integer NOT NULL,
  url               text NOT NULL,
  title             text,
  -- The start of the page view that the title comes from: the newest title wins.
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

-- Visitors that the site knows by an id of its own. The id seen last wins.
CREATE TABLE analytics.reader (
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  reader_id   bigint NOT NULL,
  original_id text NOT NULL,
  seen_at     timestamptz NOT NULL,
  text_key    uuid NOT NULL,
  PRIMARY KEY (site_id, reader_id)
);
CREATE INDEX reader_text_key ON analytics.reader (site_id, text_key);

-- Dimension tables that all sites share.
CREATE TABLE analytics.os       (os_id integer PRIMARY KEY, os text NOT NULL, text_key uuid NOT NULL UNIQUE);
CREATE TABLE analytics.browser  (browser_id integer PRIMARY KEY, browser text NOT NULL, text_key uuid NOT NULL UNIQUE);
CREATE TABLE analytics.language (language_id integer PRIMARY KEY, language text NOT NULL, text_key uuid NOT NULL UNIQUE);
CREATE TABLE analytics.country  (country_id integer PRIMARY KEY, country_code text NOT NULL, text_key uuid NOT NULL UNIQUE);
CREATE TABLE analytics.device   (device_id smallint PRIMARY KEY, device_type text NOT NULL UNIQUE);
INSERT INTO analytics.device VALUES (1, 'PC'), (2, 'tablet'), (3, 'SP');

-- Columns that most queries read come first, with a fixed width and (almost) never null: PostgreSQL reads a row up to the last
-- column it needs. `at` is the start of the page view in whole seconds; `generated` is a bit set of the ids and session
-- columns that the importer generated instead of reading them.
CREATE TABLE analytics.page_view (
  at          timestamptz NOT NULL,
  page_id     integer NOT NULL,
  site_id     smallint NOT NULL,
  device_id   smallint,
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
  generated      smallint NOT NULL,
  stop_max_sec   integer,
  dead_click_image_count integer NOT NULL,
  scroll_back_count      integer NOT NULL,
  content_skip_count     integer NOT NULL,
  exploration_count      integer NOT NULL,
  window_inner_width     integer,
  window_inner_height    integer,
  -- Set when pv_id was generated: recognises the row when its file is imported again.
  fingerprint uuid,
  PRIMARY KEY (site_id, pv_id)
);
CREATE INDEX page_view_at      ON analytics.page_view (site_id, at);
CREATE INDEX page_view_page    ON analytics.page_view (site_id, page_id, at);
CREATE INDEX page_view_session ON analytics.page_view (site_id, session_id);
CREATE INDEX page_view_reader  ON analytics.page_view (site_id, reader_id, at);
-- Less than a byte a view, and rage clicks are found a hundred times as fast.
CREATE INDEX page_view_rage    ON analytics.page_view (site_id, at) INCLUDE (page_id, irritation_click_count)
  WHERE irritation_click_count > 0;
CREATE UNIQUE INDEX page_view_fingerprint ON analytics.page_view (site_id, fingerprint) WHERE fingerprint IS NOT NULL;

-- `at` is the start of the page view (view_at) plus event_sec; session and page are those of the page view.
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

-- One row per converting session: its first page view that reaches the goal. Derived, and rebuilt when the goal changes.
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

-- The materials of goals: each conversion with its page view. `at` is read from the conversion, whose index has it:
-- PostgreSQL does not carry a range condition from one side of a join to the other.
CREATE VIEW analytics.conversion_view AS
SELECT
  conversion.at, page_view.page_id, page_view.site_id, page_view.device_id, page_view.session_id,
  page_view.reader_id, page_view.pv, page_view.irritation_click_count, page_view.is_last, page_view.is_newuser,
  page_view.deep_read, page_view.is_submit, page_view.prev_page_id, page_view.next_page_id, page_view.pv_id,
  page_view.source_id, page_view.country_id, page_view.medium_id, page_view.campaign_id, page_view.os_id,
  page_view.browser_id, page_view.language_id, page_view.browse_sec, page_view.speed_msec, page_view.content_id,
  page_view.version_id, page_view.depth_position, page_view.stop_max_pos, page_view.exit_pos, page_view.generated,
  page_view.stop_max_sec, page_view.dead_click_image_count, page_view.scroll_back_count,
  page_view.content_skip_count, page_view.exploration_count, page_view.window_inner_width,
  page_view.window_inner_height, page_view.fingerprint, conversion.goal_no
FROM analytics.conversion JOIN analytics.page_view USING (site_id, pv_id, session_id, at);

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

CREATE TABLE analytics.import_run (
  import_id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id        smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  material       text NOT NULL,
  source         text NOT NULL,
  started_at     timestamptz NOT NULL,
  finished_at    timestamptz NOT NULL,
  rows_read      bigint NOT NULL,
  rows_added     bigint NOT NULL,
  rows_updated   bigint NOT NULL DEFAULT 0,
  rows_unchanged bigint NOT NULL,
  rows_rejected  bigint NOT NULL
);
CREATE INDEX import_run_site ON analytics.import_run (site_id, import_id);

-- The first rows that an import rejected; import_run.rows_rejected counts them all.
CREATE TABLE analytics.import_rejection (
  import_id   integer NOT NULL REFERENCES analytics.import_run ON DELETE CASCADE,
  line        bigint NOT NULL,
  column_name text,
  value       text,
  reason      text NOT NULL,
  PRIMARY KEY (import_id, line)
);

-- Features of the query language that this installation has switched off, or on again.
CREATE TABLE analytics.feature_switch (
  feature    text PRIMARY KEY,
  enabled    boolean NOT NULL,
  changed_at timestamptz NOT NULL
);

-- The newest queries of each user, application password and page. Users live in the host: there is no foreign key, and
-- names are as they were at the time.
CREATE TABLE analytics.query_record (
  query_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  asked_at      timestamptz NOT NULL,
  user_id       integer NOT NULL,
  login         text NOT NULL,
  -- null: asked by a page, in a session.
  key_uuid      uuid,
  key_name      text,
  -- The page that asked on its own; null: a person or a program asked.
  page          text,
  version       text NOT NULL,
  -- As the query has them, shortened when long; null where it has none.
  tracking_id   text,
  view          text,
  body          text NOT NULL,
  row_count     integer,
  milliseconds  integer NOT NULL,
  status        smallint NOT NULL,
  error_code    text,
  error_at      text,
  error_message text
);
CREATE INDEX query_record_key ON analytics.query_record (user_id, key_uuid, page, query_id DESC);

-- What every transaction changed, for copies of the data: the UTC days of rows (counted from 1970-01-01), or the ids of
-- a dimension or a goal, both ends included. A copy that knows the snapshot it was made from finds what it lacks by the transaction.
CREATE TABLE analytics.change (
  site_id     smallint NOT NULL,
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  table_name  text NOT NULL,
  low         bigint NOT NULL,
  high        bigint NOT NULL,
  changed_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, transaction, table_name, low, high)
);
CREATE INDEX change_age ON analytics.change (changed_at);

-- Notes what one statement changed, and raises the site's data version once in a transaction. Arguments: the unit of a row
-- as an expression; `each` notes every unit by itself, `span` the span of a dimension's ids. A row that a dimension gains or
-- loses raises no version: no query sees it unless a row refers to it.
CREATE FUNCTION analytics.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed_rows text;
BEGIN
  FOREACH changed_rows IN ARRAY (CASE TG_OP
    WHEN 'INSERT' THEN ARRAY['new_rows'] WHEN 'DELETE' THEN ARRAY['old_rows'] ELSE ARRAY['new_rows', 'old_rows'] END)
  LOOP
    EXECUTE format(
      'WITH units AS (SELECT DISTINCT site_id, %2$s AS unit FROM %3$I), noted AS (
         INSERT INTO analytics.change (site_id, table_name, low, high)
         SELECT site_id, %1$L, min(unit), max(unit) FROM units GROUP BY site_id %4$s ON CONFLICT DO NOTHING)
       UPDATE analytics.site SET data_version = data_version + 1, changed_in = pg_current_xact_id()
        WHERE %5$L AND site_id IN (SELECT site_id FROM units) AND changed_in IS DISTINCT FROM pg_current_xact_id()',
      TG_TABLE_NAME, TG_ARGV[0], changed_rows, CASE TG_ARGV[1] WHEN 'each' THEN ', unit' ELSE '' END,
      TG_OP = 'UPDATE' OR TG_ARGV[1] = 'each');
  END LOOP;
  RETURN NULL;
END
$$;

-- TRUNCATE does not say whose rows it removed: they may be of every site, in every unit from the first argument to the second.
CREATE FUNCTION analytics.note_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics.change (site_id, table_name, low, high)
  SELECT site_id, TG_TABLE_NAME, TG_ARGV[0]::bigint, TG_ARGV[1]::bigint FROM analytics.site ON CONFLICT DO NOTHING;
  UPDATE analytics.site SET data_version = data_version + 1, changed_in = pg_current_xact_id()
   WHERE changed_in IS DISTINCT FROM pg_current_xact_id();
  RETURN NULL;
END
$$;

DO $$
DECLARE
  it record;
  -- Days since 1970-01-01.
  of_instant CONSTANT text := '(at AT TIME ZONE ''UTC'')::date - DATE ''1970-01-01''';
  of_date CONSTANT text := '%I - DATE ''1970-01-01''';
BEGIN
  FOR it IN
    SELECT * FROM (VALUES
      ('page_view', of_instant, 'each'),
      ('click', of_instant, 'each'),
      ('event', of_instant, 'each'),
      ('conversion', of_instant, 'each'),
      ('search_day', format(of_date, 'day'), 'each'),
      ('page_version', format(of_date, 'update_date'), 'each'),
      ('ga4_age_gender', format(of_date, 'month'), 'each'),
      ('ga4_country', format(of_date, 'month'), 'each'),
      ('ga4_region', format(of_date, 'month'), 'each'),
      ('goal', 'goal_no', 'each'),
      ('page', 'page_id', 'span'),
      ('source', 'source_id', 'span'),
      ('medium', 'medium_id', 'span'),
      ('campaign', 'campaign_id', 'span'),
      ('content', 'content_id', 'span'),
      ('selector', 'selector_id', 'span'),
      ('keyword', 'query_id', 'span'),
      ('event_name', 'event_name_id', 'span'),
      ('reader', 'reader_id', 'span')
    ) AS noted (table_name, unit, kind)
  LOOP
    EXECUTE format(
      'CREATE TRIGGER note_insert AFTER INSERT ON analytics.%1$I REFERENCING NEW TABLE AS new_rows
         FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_change(%2$L, %3$L);
       CREATE TRIGGER note_update AFTER UPDATE ON analytics.%1$I REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
         FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_change(%2$L, %3$L);
       CREATE TRIGGER note_delete AFTER DELETE ON analytics.%1$I REFERENCING OLD TABLE AS old_rows
         FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_change(%2$L, %3$L);
       CREATE TRIGGER note_truncate AFTER TRUNCATE ON analytics.%1$I
         FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_truncate(%4$L, %5$L)',
      it.table_name, it.unit, it.kind,
      CASE it.kind WHEN 'each' THEN -100000 ELSE 0 END, CASE it.kind WHEN 'each' THEN 100000 ELSE 2147483647 END);
  END LOOP;
END
$$;
