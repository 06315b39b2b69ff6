-- Generated from the migrations by `make schema`. Do not edit.

CREATE SCHEMA host;

CREATE SCHEMA analytics;

CREATE TABLE host.users (
  user_id       integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  login         text NOT NULL,
  email         text,
  display_name  text NOT NULL,
  role          text NOT NULL,
  password_hash text NOT NULL,
  disabled      boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL,
  meta          jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT users_pkey PRIMARY KEY (user_id),
  CONSTRAINT users_login_check CHECK ((login ~ '^[A-Za-z0-9_.@-]{1,60}$'::text)),
  CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['administrator'::text, 'analyst'::text, 'viewer'::text])))
);
CREATE UNIQUE INDEX users_email ON host.users USING btree (lower(email)) WHERE (email IS NOT NULL);
CREATE UNIQUE INDEX users_login ON host.users USING btree (lower(login));

CREATE TABLE host.user_sites (
  user_id     integer NOT NULL,
  tracking_id text NOT NULL,
  CONSTRAINT user_sites_pkey PRIMARY KEY (user_id, tracking_id),
  CONSTRAINT user_sites_user_id_fkey FOREIGN KEY (user_id) REFERENCES host.users(user_id) ON DELETE CASCADE
);

CREATE TABLE host.application_passwords (
  uuid           uuid NOT NULL,
  user_id        integer NOT NULL,
  app_id         text NOT NULL DEFAULT ''::text,
  name           text NOT NULL,
  secret_hash    text NOT NULL,
  created_at     timestamptz NOT NULL,
  last_used_at   timestamptz,
  last_ip        text,
  expires_at     timestamptz,
  sites          text[],
  address_ranges text[],
  rate_share     smallint,
  opens          text,
  level          text NOT NULL,
  link_limit     jsonb,
  CONSTRAINT application_passwords_pkey PRIMARY KEY (uuid),
  CONSTRAINT application_passwords_address_ranges_check CHECK ((cardinality(address_ranges) > 0)),
  CONSTRAINT application_passwords_level_check CHECK ((level = ANY (ARRAY['read'::text, 'import'::text, 'manage'::text, 'all'::text]))),
  CONSTRAINT application_passwords_name_check CHECK ((name <> ''::text)),
  CONSTRAINT application_passwords_opens_check CHECK ((opens ~ '^[a-z0-9-]{1,64}$'::text)),
  CONSTRAINT application_passwords_rate_share_check CHECK (((rate_share >= 1) AND (rate_share <= 99))),
  CONSTRAINT application_passwords_sites_check CHECK ((cardinality(sites) > 0)),
  CONSTRAINT links_end CHECK (((opens IS NULL) OR ((expires_at IS NOT NULL) AND (cardinality(sites) = 1) AND (level = 'read'::text)))),
  CONSTRAINT links_have_limits CHECK (((link_limit IS NULL) OR (opens IS NOT NULL))),
  CONSTRAINT restricted_level CHECK (((level = ANY (ARRAY['read'::text, 'import'::text])) OR (num_nonnulls(expires_at, sites, address_ranges, rate_share) = 0))),
  CONSTRAINT application_passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES host.users(user_id) ON DELETE CASCADE
);
CREATE INDEX application_passwords_user ON host.application_passwords USING btree (user_id, created_at);

CREATE TABLE host.session (
  session_key text NOT NULL,
  user_id     integer NOT NULL,
  data        jsonb NOT NULL,
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  CONSTRAINT session_pkey PRIMARY KEY (session_key),
  CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id) REFERENCES host.users(user_id) ON DELETE CASCADE
);
CREATE INDEX session_expiry ON host.session USING btree (expires_at);
CREATE INDEX session_of_user ON host.session USING btree (user_id);

CREATE TABLE host.secret (
  name  text NOT NULL,
  value text NOT NULL,
  CONSTRAINT secret_pkey PRIMARY KEY (name)
);

CREATE TABLE host.extension (
  name       text NOT NULL,
  state      text NOT NULL,
  version    text NOT NULL,
  changed_at timestamptz NOT NULL,
  CONSTRAINT extension_pkey PRIMARY KEY (name),
  CONSTRAINT extension_state_check CHECK ((state = ANY (ARRAY['active'::text, 'inactive'::text, 'uninstalled'::text])))
);

CREATE TABLE host.window_count (
  name    text NOT NULL,
  seconds integer NOT NULL,
  count   integer NOT NULL,
  ends_at timestamptz NOT NULL,
  CONSTRAINT window_count_pkey PRIMARY KEY (name, seconds),
  CONSTRAINT window_count_count_check CHECK ((count > 0)),
  CONSTRAINT window_count_seconds_check CHECK ((seconds > 0))
);

CREATE TABLE host.backup (
  made_at timestamptz NOT NULL,
  bytes   bigint NOT NULL,
  CONSTRAINT backup_pkey PRIMARY KEY (made_at)
);

CREATE TABLE host.job (
  name         text NOT NULL,
  begun_at     timestamptz NOT NULL,
  ended_at     timestamptz,
  succeeded_at timestamptz,
  fault        text,
  CONSTRAINT job_pkey PRIMARY KEY (name)
);

CREATE TABLE host.alarm (
  cause      text NOT NULL,
  told       text NOT NULL,
  alarmed_at timestamptz NOT NULL,
  CONSTRAINT alarm_pkey PRIMARY KEY (cause)
);

CREATE TABLE host.second_factor (
  user_id    integer NOT NULL,
  secret     text NOT NULL,
  used_step  bigint NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT second_factor_pkey PRIMARY KEY (user_id),
  CONSTRAINT second_factor_user_id_fkey FOREIGN KEY (user_id) REFERENCES host.users(user_id) ON DELETE CASCADE
);

CREATE TABLE host.recovery_code (
  user_id   integer NOT NULL,
  code_hash text NOT NULL,
  CONSTRAINT recovery_code_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES host.second_factor(user_id) ON DELETE CASCADE
);

CREATE TABLE analytics.site (
  site_id        smallint NOT NULL GENERATED ALWAYS AS IDENTITY,
  tracking_id    text NOT NULL,
  domain         text NOT NULL,
  name           text NOT NULL,
  timezone       text NOT NULL,
  is_default     boolean NOT NULL DEFAULT false,
  retention_days integer,
  CONSTRAINT site_pkey PRIMARY KEY (site_id),
  CONSTRAINT site_tracking_id_key UNIQUE (tracking_id),
  CONSTRAINT site_retention_days_check CHECK (((retention_days >= 1) AND (retention_days <= 36500))),
  CONSTRAINT site_tracking_id_check CHECK (((tracking_id ~ '^[a-zA-Z0-9_-]+$'::text) AND (tracking_id <> 'all'::text)))
);
CREATE UNIQUE INDEX site_default ON analytics.site USING btree (is_default) WHERE is_default;

CREATE TABLE analytics.goal (
  site_id   smallint NOT NULL,
  goal_no   smallint NOT NULL,
  name      text NOT NULL,
  type      text NOT NULL,
  condition jsonb NOT NULL,
  CONSTRAINT goal_pkey PRIMARY KEY (site_id, goal_no),
  CONSTRAINT goal_goal_no_check CHECK (((goal_no >= 1) AND (goal_no <= 10))),
  CONSTRAINT goal_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.page (
  site_id           smallint NOT NULL,
  page_id           integer NOT NULL,
  url               text NOT NULL,
  title             text,
  title_at          timestamptz,
  page_type         integer,
  page_fetch_status smallint,
  text_key          uuid NOT NULL,
  type_at           timestamptz,
  status_at         timestamptz,
  url_host          text GENERATED ALWAYS AS (NULLIF("substring"((url COLLATE "C"), '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#@]*)'::text), ''::text)) STORED,
  url_path          text NOT NULL GENERATED ALWAYS AS (COALESCE(NULLIF("substring"(regexp_replace((url COLLATE "C"), '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*'::text, ''::text), '^[^?#]*'::text), ''::text), '/'::text)) STORED,
  url_folder        text NOT NULL GENERATED ALWAYS AS (COALESCE("substring"(regexp_replace((url COLLATE "C"), '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*'::text, ''::text), '^/[^/?#]*/'::text), '/'::text)) STORED,
  url_query         text GENERATED ALWAYS AS (NULLIF("substring"((url COLLATE "C"), '^[^?#]*[?]([^#]*)'::text), ''::text)) STORED,
  CONSTRAINT page_pkey PRIMARY KEY (site_id, page_id),
  CONSTRAINT page_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT page_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.source (
  site_id       smallint NOT NULL,
  source_id     integer NOT NULL,
  source_domain text,
  referrer      text,
  utm_source    text,
  utm_term      text,
  text_key      uuid NOT NULL,
  click_id_name text,
  referrer_host text GENERATED ALWAYS AS (NULLIF("substring"((referrer COLLATE "C"), '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#@]*)'::text), ''::text)) STORED,
  CONSTRAINT source_pkey PRIMARY KEY (site_id, source_id),
  CONSTRAINT source_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT source_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.medium (
  site_id    smallint NOT NULL,
  medium_id  integer NOT NULL,
  utm_medium text NOT NULL,
  text_key   uuid NOT NULL,
  CONSTRAINT medium_pkey PRIMARY KEY (site_id, medium_id),
  CONSTRAINT medium_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT medium_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.campaign (
  site_id      smallint NOT NULL,
  campaign_id  integer NOT NULL,
  utm_campaign text NOT NULL,
  text_key     uuid NOT NULL,
  CONSTRAINT campaign_pkey PRIMARY KEY (site_id, campaign_id),
  CONSTRAINT campaign_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT campaign_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.content (
  site_id     smallint NOT NULL,
  content_id  integer NOT NULL,
  utm_content text NOT NULL,
  text_key    uuid NOT NULL,
  CONSTRAINT content_pkey PRIMARY KEY (site_id, content_id),
  CONSTRAINT content_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT content_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.selector (
  site_id     smallint NOT NULL,
  selector_id integer NOT NULL,
  selector    text NOT NULL,
  text_key    uuid NOT NULL,
  CONSTRAINT selector_pkey PRIMARY KEY (site_id, selector_id),
  CONSTRAINT selector_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT selector_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.keyword (
  site_id  smallint NOT NULL,
  query_id integer NOT NULL,
  keyword  text NOT NULL,
  text_key uuid NOT NULL,
  CONSTRAINT keyword_pkey PRIMARY KEY (site_id, query_id),
  CONSTRAINT keyword_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT keyword_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.event_name (
  site_id       smallint NOT NULL,
  event_name_id integer NOT NULL,
  event_name    text NOT NULL,
  observed      jsonb NOT NULL DEFAULT '{}'::jsonb,
  text_key      uuid NOT NULL,
  CONSTRAINT event_name_pkey PRIMARY KEY (site_id, event_name_id),
  CONSTRAINT event_name_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT event_name_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.reader (
  site_id     smallint NOT NULL,
  reader_id   bigint NOT NULL,
  original_id text NOT NULL,
  seen_at     timestamptz NOT NULL,
  text_key    uuid NOT NULL,
  CONSTRAINT reader_pkey PRIMARY KEY (site_id, reader_id)
);
CREATE INDEX reader_text_key ON analytics.reader USING btree (site_id, text_key);

CREATE TABLE analytics.os (
  os_id    integer NOT NULL,
  os       text NOT NULL,
  text_key uuid NOT NULL,
  CONSTRAINT os_pkey PRIMARY KEY (os_id),
  CONSTRAINT os_text_key_key UNIQUE (text_key)
);

CREATE TABLE analytics.browser (
  browser_id integer NOT NULL,
  browser    text NOT NULL,
  text_key   uuid NOT NULL,
  CONSTRAINT browser_pkey PRIMARY KEY (browser_id),
  CONSTRAINT browser_text_key_key UNIQUE (text_key)
);

CREATE TABLE analytics.language (
  language_id integer NOT NULL,
  language    text NOT NULL,
  text_key    uuid NOT NULL,
  CONSTRAINT language_pkey PRIMARY KEY (language_id),
  CONSTRAINT language_text_key_key UNIQUE (text_key)
);

CREATE TABLE analytics.country (
  country_id   integer NOT NULL,
  country_code text NOT NULL,
  text_key     uuid NOT NULL,
  CONSTRAINT country_pkey PRIMARY KEY (country_id),
  CONSTRAINT country_text_key_key UNIQUE (text_key)
);

CREATE TABLE analytics.device (
  device_id   smallint NOT NULL,
  device_type text NOT NULL,
  CONSTRAINT device_pkey PRIMARY KEY (device_id),
  CONSTRAINT device_device_type_key UNIQUE (device_type)
);

CREATE TABLE analytics.page_view (
  at                     timestamptz NOT NULL,
  page_id                integer NOT NULL,
  site_id                smallint NOT NULL,
  device_id              smallint,
  session_id             bigint NOT NULL,
  reader_id              bigint NOT NULL,
  pv                     integer NOT NULL,
  irritation_click_count integer NOT NULL DEFAULT 0,
  is_last                boolean NOT NULL,
  is_newuser             boolean NOT NULL,
  deep_read              boolean NOT NULL DEFAULT false,
  is_submit              boolean NOT NULL DEFAULT false,
  prev_page_id           integer NOT NULL,
  next_page_id           integer NOT NULL,
  pv_id                  bigint NOT NULL,
  source_id              integer,
  country_id             integer,
  medium_id              integer,
  campaign_id            integer,
  os_id                  integer,
  browser_id             integer,
  language_id            integer,
  browse_sec             integer,
  speed_msec             integer,
  content_id             integer,
  version_id             bigint,
  depth_position         smallint,
  stop_max_pos           smallint,
  exit_pos               smallint,
  stop_max_sec           integer,
  dead_click_image_count integer NOT NULL DEFAULT 0,
  scroll_back_count      integer NOT NULL DEFAULT 0,
  content_skip_count     integer NOT NULL DEFAULT 0,
  exploration_count      integer NOT NULL DEFAULT 0,
  window_inner_width     integer,
  window_inner_height    integer,
  page_state_id          integer,
  reader_state_id        integer,
  view_source_id         integer,
  view_medium_id         integer,
  view_campaign_id       integer,
  view_content_id        integer,
  given_pv               integer,
  given_is_last          boolean,
  given_prev_page_id     integer,
  given_next_page_id     integer,
  given_is_newuser       boolean,
  is_visit_traffic       boolean,
  is_browse_derived      boolean,
  named_by               smallint NOT NULL,
  source_no              smallint NOT NULL,
  order_no               numeric,
  location_id            integer,
  CONSTRAINT page_view_pkey PRIMARY KEY (site_id, pv_id),
  CONSTRAINT page_view_at_check CHECK ((at >= '1970-01-02 00:00:00+00'::timestamp with time zone))
);
CREATE INDEX page_view_at ON analytics.page_view USING btree (site_id, at);
CREATE INDEX page_view_page ON analytics.page_view USING btree (site_id, page_id);
CREATE INDEX page_view_rage ON analytics.page_view USING btree (site_id, at) INCLUDE (page_id, irritation_click_count) WHERE (irritation_click_count > 0);
CREATE INDEX page_view_reader ON analytics.page_view USING btree (site_id, reader_id, at);
CREATE INDEX page_view_session ON analytics.page_view USING btree (site_id, session_id);

CREATE TABLE analytics.click (
  at               timestamptz NOT NULL,
  selector_id      integer NOT NULL,
  site_id          smallint NOT NULL,
  action_id        smallint NOT NULL,
  pv_id            bigint NOT NULL,
  session_id       bigint NOT NULL,
  page_id          integer NOT NULL,
  event_sec        integer NOT NULL,
  view_at          timestamptz NOT NULL,
  click_id         bigint NOT NULL,
  is_external      boolean NOT NULL,
  page_x_pct       double precision,
  page_y_pct       double precision,
  element_text     text,
  element_id       text,
  element_class    text,
  element_data     text,
  to_url           text,
  fingerprint      uuid NOT NULL,
  found_reader_id  bigint,
  found_session_id bigint,
  source_no        smallint NOT NULL DEFAULT 0,
  CONSTRAINT click_pkey PRIMARY KEY (site_id, click_id),
  CONSTRAINT click_site_id_fingerprint_key UNIQUE (site_id, fingerprint),
  CONSTRAINT click_at_check CHECK ((at >= '1970-01-02 00:00:00+00'::timestamp with time zone))
);
CREATE INDEX click_at ON analytics.click USING btree (site_id, at);
CREATE INDEX click_found ON analytics.click USING btree (site_id, at) WHERE ((found_reader_id IS NOT NULL) OR (found_session_id IS NOT NULL));
CREATE INDEX click_pv ON analytics.click USING btree (site_id, pv_id);

CREATE TABLE analytics.event (
  at               timestamptz NOT NULL,
  event_name_id    integer NOT NULL,
  site_id          smallint NOT NULL,
  pv_id            bigint NOT NULL,
  session_id       bigint NOT NULL,
  page_id          integer NOT NULL,
  view_at          timestamptz NOT NULL,
  event_id         bigint NOT NULL,
  params           jsonb NOT NULL,
  fingerprint      uuid NOT NULL,
  found_reader_id  bigint,
  found_session_id bigint,
  source_no        smallint NOT NULL DEFAULT 0,
  CONSTRAINT event_pkey PRIMARY KEY (site_id, event_id),
  CONSTRAINT event_site_id_fingerprint_key UNIQUE (site_id, fingerprint),
  CONSTRAINT event_at_check CHECK ((at >= '1970-01-02 00:00:00+00'::timestamp with time zone))
);
CREATE INDEX event_at ON analytics.event USING btree (site_id, at);
CREATE INDEX event_found ON analytics.event USING btree (site_id, at) WHERE ((found_reader_id IS NOT NULL) OR (found_session_id IS NOT NULL));
CREATE INDEX event_name_at ON analytics.event USING btree (site_id, event_name_id, at);
CREATE INDEX event_pv ON analytics.event USING btree (site_id, pv_id);

CREATE TABLE analytics.search_day (
  day           date NOT NULL,
  page_id       integer NOT NULL,
  query_id      integer NOT NULL,
  site_id       smallint NOT NULL,
  search_type   smallint NOT NULL,
  clicks        integer NOT NULL,
  impressions   integer NOT NULL,
  position_x100 integer NOT NULL,
  row_id        bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  CONSTRAINT search_day_pkey PRIMARY KEY (site_id, day, page_id, query_id, search_type),
  CONSTRAINT search_day_site_id_row_id_key UNIQUE (site_id, row_id),
  CONSTRAINT search_day_search_type_check CHECK (((search_type >= 1) AND (search_type <= 3)))
);
CREATE INDEX search_day_page ON analytics.search_day USING btree (site_id, page_id);

CREATE TABLE analytics.page_version (
  site_id     smallint NOT NULL,
  version_id  bigint NOT NULL,
  page_id     integer NOT NULL,
  device_id   smallint NOT NULL,
  version_no  integer NOT NULL,
  update_date date NOT NULL,
  CONSTRAINT page_version_pkey PRIMARY KEY (site_id, version_id),
  CONSTRAINT page_version_site_id_page_id_device_id_version_no_key UNIQUE (site_id, page_id, device_id, version_no) DEFERRABLE
);

CREATE TABLE analytics.conversion (
  at         timestamptz NOT NULL,
  site_id    smallint NOT NULL,
  goal_no    smallint NOT NULL,
  session_id bigint NOT NULL,
  pv_id      bigint NOT NULL,
  CONSTRAINT conversion_pkey PRIMARY KEY (site_id, goal_no, session_id),
  CONSTRAINT conversion_site_id_goal_no_fkey FOREIGN KEY (site_id, goal_no) REFERENCES analytics.goal(site_id, goal_no) ON DELETE CASCADE
);
CREATE INDEX conversion_at ON analytics.conversion USING btree (site_id, goal_no, at);

CREATE TABLE analytics.ga4_age_gender (
  site_id      smallint NOT NULL,
  month        date NOT NULL,
  age          smallint NOT NULL,
  gender       smallint NOT NULL,
  sessions     integer NOT NULL,
  active_users integer NOT NULL,
  row_id       bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  CONSTRAINT ga4_age_gender_pkey PRIMARY KEY (site_id, month, age, gender),
  CONSTRAINT ga4_age_gender_site_id_row_id_key UNIQUE (site_id, row_id),
  CONSTRAINT ga4_age_gender_age_check CHECK (((age >= 0) AND (age <= 6))),
  CONSTRAINT ga4_age_gender_gender_check CHECK (((gender >= 0) AND (gender <= 2)))
);

CREATE TABLE analytics.ga4_country (
  site_id      smallint NOT NULL,
  month        date NOT NULL,
  country_code text NOT NULL,
  sessions     integer NOT NULL,
  active_users integer NOT NULL,
  row_id       bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  CONSTRAINT ga4_country_pkey PRIMARY KEY (site_id, month, country_code),
  CONSTRAINT ga4_country_site_id_row_id_key UNIQUE (site_id, row_id)
);

CREATE TABLE analytics.ga4_region (
  site_id      smallint NOT NULL,
  month        date NOT NULL,
  region       integer NOT NULL,
  region_name  text,
  sessions     integer NOT NULL,
  active_users integer NOT NULL,
  row_id       bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  CONSTRAINT ga4_region_pkey PRIMARY KEY (site_id, month, region),
  CONSTRAINT ga4_region_site_id_row_id_key UNIQUE (site_id, row_id)
);

CREATE TABLE analytics.import_run (
  import_id      integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  site_id        smallint NOT NULL,
  material       text NOT NULL,
  source         text NOT NULL,
  started_at     timestamptz NOT NULL,
  finished_at    timestamptz,
  rows_read      bigint NOT NULL,
  rows_added     bigint NOT NULL,
  rows_updated   bigint NOT NULL DEFAULT 0,
  rows_unchanged bigint NOT NULL,
  rows_rejected  bigint NOT NULL,
  status         text NOT NULL DEFAULT 'done'::text,
  login          text NOT NULL DEFAULT 'local'::text,
  through        text NOT NULL DEFAULT 'command'::text,
  format         text NOT NULL DEFAULT 'ndjson'::text,
  source_name    text,
  error          text,
  bytes_read     bigint NOT NULL DEFAULT 0,
  rows_kept      bigint NOT NULL DEFAULT 0,
  skipped        jsonb NOT NULL DEFAULT '{}'::jsonb,
  undone_at      timestamptz,
  undone_by      text,
  can_undo       boolean NOT NULL DEFAULT false,
  end_no         integer,
  on_conflict    text NOT NULL DEFAULT 'replace'::text,
  version        uuid,
  rows_waiting   bigint NOT NULL DEFAULT 0,
  CONSTRAINT import_run_pkey PRIMARY KEY (import_id),
  CONSTRAINT import_run_on_conflict_check CHECK ((on_conflict = ANY (ARRAY['replace'::text, 'keep'::text, 'refuse'::text]))),
  CONSTRAINT import_run_status_check CHECK ((status = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text, 'undone'::text, 'partial'::text, 'following'::text]))),
  CONSTRAINT import_run_through_check CHECK ((through = ANY (ARRAY['command'::text, 'http'::text, 'page'::text]))),
  CONSTRAINT import_run_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE INDEX import_run_end ON analytics.import_run USING btree (site_id, end_no);
CREATE INDEX import_run_site ON analytics.import_run USING btree (site_id, import_id);

CREATE TABLE analytics.import_rejection (
  import_id   integer NOT NULL,
  line        bigint NOT NULL,
  column_name text,
  value       text,
  reason      text NOT NULL,
  file        text NOT NULL DEFAULT ''::text,
  CONSTRAINT import_rejection_pkey PRIMARY KEY (import_id, file, line),
  CONSTRAINT import_rejection_import_id_fkey FOREIGN KEY (import_id) REFERENCES analytics.import_run(import_id) ON DELETE CASCADE
);

CREATE TABLE analytics.feature_switch (
  feature    text NOT NULL,
  enabled    boolean NOT NULL,
  changed_at timestamptz NOT NULL,
  CONSTRAINT feature_switch_pkey PRIMARY KEY (feature)
);

CREATE TABLE analytics.query_record (
  query_id       bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  asked_at       timestamptz NOT NULL,
  user_id        integer NOT NULL,
  login          text NOT NULL,
  key_uuid       uuid,
  key_name       text,
  page           text,
  version        text NOT NULL,
  tracking_id    text,
  view           text,
  body           text NOT NULL,
  row_count      integer,
  milliseconds   integer NOT NULL,
  status         smallint NOT NULL,
  error_code     text,
  error_at       text,
  error_message  text,
  engine         text,
  engine_reason  text,
  query          text,
  caller_address text,
  request_id     text,
  CONSTRAINT query_record_pkey PRIMARY KEY (query_id),
  CONSTRAINT query_record_engine_check CHECK ((engine = ANY (ARRAY['rows'::text, 'columns'::text, 'cache'::text])))
);
CREATE INDEX query_record_key ON analytics.query_record USING btree (user_id, key_uuid, page, query_id DESC);
CREATE INDEX query_record_time ON analytics.query_record USING btree (asked_at);

CREATE TABLE analytics.change (
  site_id      smallint NOT NULL,
  table_name   text NOT NULL,
  low          bigint NOT NULL,
  high         bigint NOT NULL,
  changed_at   timestamptz NOT NULL DEFAULT now(),
  data_version bigint NOT NULL,
  token        uuid,
  token_before uuid,
  CONSTRAINT change_pkey PRIMARY KEY (site_id, data_version, table_name, low, high)
);

CREATE TABLE analytics.given_id (
  site_id  smallint NOT NULL,
  kind     text NOT NULL,
  text_key uuid NOT NULL,
  id       bigint NOT NULL,
  given    text NOT NULL,
  CONSTRAINT given_id_pkey PRIMARY KEY (site_id, kind, text_key),
  CONSTRAINT given_id_site_id_kind_id_key UNIQUE (site_id, kind, id)
);

CREATE TABLE analytics.page_state (
  site_id           smallint NOT NULL,
  page_state_id     integer NOT NULL,
  title             text,
  page_type         integer,
  page_fetch_status smallint,
  text_key          uuid NOT NULL,
  CONSTRAINT page_state_pkey PRIMARY KEY (site_id, page_state_id),
  CONSTRAINT page_state_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT page_state_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.reader_state (
  site_id         smallint NOT NULL,
  reader_state_id integer NOT NULL,
  original_id     text NOT NULL,
  text_key        uuid NOT NULL,
  CONSTRAINT reader_state_pkey PRIMARY KEY (site_id, reader_state_id),
  CONSTRAINT reader_state_site_id_text_key_key UNIQUE (site_id, text_key)
);

CREATE TABLE analytics.import_rules (
  site_id        smallint NOT NULL,
  visitor_secret bytea NOT NULL DEFAULT (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
  visitor_period text NOT NULL DEFAULT 'day'::text,
  hosts          text[] NOT NULL DEFAULT '{}'::text[],
  click_ids      text[],
  CONSTRAINT import_rules_pkey PRIMARY KEY (site_id),
  CONSTRAINT import_rules_visitor_period_check CHECK ((visitor_period = ANY (ARRAY['day'::text, 'month'::text, 'always'::text]))),
  CONSTRAINT import_rules_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.removal (
  removal_id  integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  removed_at  timestamptz NOT NULL,
  login       text NOT NULL,
  kind        text NOT NULL,
  tracking_id text NOT NULL,
  first_day   date,
  last_day    date,
  material    text,
  removed     jsonb NOT NULL,
  import_id   integer,
  restored    bigint,
  CONSTRAINT removal_pkey PRIMARY KEY (removal_id),
  CONSTRAINT removal_kind_check CHECK ((kind = ANY (ARRAY['site'::text, 'days'::text, 'visitor'::text, 'retention'::text, 'undo'::text])))
);

CREATE TABLE analytics.followed_file (
  site_id  smallint NOT NULL,
  material text NOT NULL,
  path     text NOT NULL,
  since    numeric NOT NULL,
  files    jsonb NOT NULL,
  CONSTRAINT followed_file_pkey PRIMARY KEY (site_id, material, path),
  CONSTRAINT followed_file_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.site_version (
  site_id      smallint NOT NULL,
  data_version bigint NOT NULL DEFAULT 0,
  token        uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT site_version_pkey PRIMARY KEY (site_id),
  CONSTRAINT site_version_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.saved_query (
  saved_query_id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  user_id        integer NOT NULL,
  login          text NOT NULL,
  name           text NOT NULL,
  body           text NOT NULL,
  version        text NOT NULL,
  shared         boolean NOT NULL,
  revision       integer NOT NULL DEFAULT 1,
  changed_at     timestamptz NOT NULL,
  CONSTRAINT saved_query_pkey PRIMARY KEY (saved_query_id)
);
CREATE UNIQUE INDEX saved_query_name ON analytics.saved_query USING btree (user_id, lower(name));
CREATE INDEX saved_query_shared ON analytics.saved_query USING btree (saved_query_id) WHERE shared;

CREATE TABLE analytics.follow_gap (
  gap_id    integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  site_id   smallint NOT NULL,
  material  text NOT NULL,
  path      text NOT NULL,
  head      text NOT NULL,
  tail      text NOT NULL,
  position  bigint NOT NULL,
  options   text NOT NULL,
  found_at  timestamptz NOT NULL,
  closed_at timestamptz,
  CONSTRAINT follow_gap_pkey PRIMARY KEY (gap_id),
  CONSTRAINT follow_gap_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE INDEX follow_gap_site_id_idx ON analytics.follow_gap USING btree (site_id) WHERE (closed_at IS NULL);

CREATE TABLE analytics.import_source (
  site_id     smallint NOT NULL,
  source_no   smallint NOT NULL,
  source_name text NOT NULL,
  CONSTRAINT import_source_pkey PRIMARY KEY (site_id, source_no),
  CONSTRAINT import_source_site_id_source_name_key UNIQUE (site_id, source_name),
  CONSTRAINT import_source_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.visitor_first (
  site_id   smallint NOT NULL,
  reader_id bigint NOT NULL,
  first_at  timestamptz NOT NULL,
  import_id integer NOT NULL DEFAULT 0,
  CONSTRAINT visitor_first_pkey PRIMARY KEY (site_id, reader_id, import_id)
);

CREATE TABLE analytics.import_record (
  site_id    smallint NOT NULL,
  import_id  integer NOT NULL,
  table_name text NOT NULL,
  kind       text NOT NULL,
  ids        int8multirange,
  row_id     bigint,
  old        jsonb,
  shared_by  integer[],
  CONSTRAINT import_record_site_id_import_id_table_name_row_id_key UNIQUE (site_id, import_id, table_name, row_id),
  CONSTRAINT import_record_check CHECK (
CASE
    WHEN (kind = ANY (ARRAY['added'::text, 'met'::text])) THEN ((ids IS NOT NULL) AND (row_id IS NULL) AND (old IS NULL))
    WHEN (kind = ANY (ARRAY['changed'::text, 'void'::text])) THEN ((ids IS NULL) AND (row_id IS NOT NULL) AND ((old IS NULL) = (kind = 'void'::text)))
    ELSE false
END),
  CONSTRAINT import_record_check1 CHECK (((shared_by IS NULL) OR ((ids IS NOT NULL) AND (cardinality(shared_by) > 0)))),
  CONSTRAINT import_record_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE INDEX import_record_sets ON analytics.import_record USING btree (site_id) WHERE (ids IS NOT NULL);

CREATE TABLE analytics.location (
  site_id     smallint NOT NULL,
  location_id integer NOT NULL,
  region      text,
  city        text,
  text_key    uuid NOT NULL,
  CONSTRAINT location_pkey PRIMARY KEY (site_id, location_id),
  CONSTRAINT location_site_id_text_key_key UNIQUE (site_id, text_key),
  CONSTRAINT location_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.waiting_row (
  site_id    smallint NOT NULL,
  waiting_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  material   text NOT NULL,
  import_ids integer[] NOT NULL,
  at         timestamptz,
  pv_id      bigint,
  session_id bigint,
  reader_id  bigint,
  facts      jsonb NOT NULL,
  row_key    uuid NOT NULL,
  row_id     bigint,
  placed_by  integer,
  arrivals   bigint[] NOT NULL,
  lines      bigint[] NOT NULL,
  CONSTRAINT waiting_row_pkey PRIMARY KEY (site_id, waiting_id),
  CONSTRAINT waiting_row_site_id_row_key_key UNIQUE (site_id, row_key),
  CONSTRAINT waiting_row_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE INDEX waiting_row_placed ON analytics.waiting_row USING btree (site_id, row_id) WHERE (row_id IS NOT NULL);
CREATE INDEX waiting_row_view ON analytics.waiting_row USING btree (site_id, pv_id) WHERE (row_id IS NULL);
CREATE INDEX waiting_row_visit ON analytics.waiting_row USING btree (site_id, session_id) WHERE (row_id IS NULL);
CREATE INDEX waiting_row_visitor ON analytics.waiting_row USING btree (site_id, reader_id) WHERE (row_id IS NULL);

CREATE TABLE analytics.channel_rules (
  site_id smallint NOT NULL,
  rules   jsonb NOT NULL,
  CONSTRAINT channel_rules_pkey PRIMARY KEY (site_id),
  CONSTRAINT channel_rules_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.funnel (
  funnel_id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  site_id   smallint NOT NULL,
  name      text NOT NULL,
  steps     jsonb NOT NULL,
  CONSTRAINT funnel_pkey PRIMARY KEY (funnel_id),
  CONSTRAINT funnel_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX funnel_name ON analytics.funnel USING btree (site_id, lower(name));

CREATE TABLE analytics.segment (
  segment_id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  site_id    smallint NOT NULL,
  user_id    integer NOT NULL,
  login      text NOT NULL,
  name       text NOT NULL,
  filters    jsonb NOT NULL,
  shared     boolean NOT NULL,
  revision   integer NOT NULL DEFAULT 1,
  CONSTRAINT segment_pkey PRIMARY KEY (segment_id),
  CONSTRAINT segment_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX segment_name ON analytics.segment USING btree (site_id, user_id, lower(name));

CREATE TABLE analytics.erasure (
  site_id    smallint NOT NULL,
  erasure_id uuid NOT NULL,
  erased_at  timestamptz NOT NULL,
  CONSTRAINT erasure_pkey PRIMARY KEY (site_id, erasure_id),
  CONSTRAINT erasure_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.rejected_file (
  site_id    smallint NOT NULL,
  path       text NOT NULL,
  written_at timestamptz NOT NULL,
  CONSTRAINT rejected_file_pkey PRIMARY KEY (site_id, path),
  CONSTRAINT rejected_file_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.stored_month (
  site_id   smallint NOT NULL,
  material  text NOT NULL,
  month     date NOT NULL,
  row_count bigint NOT NULL,
  bytes     bigint NOT NULL,
  CONSTRAINT stored_month_pkey PRIMARY KEY (site_id, material, month),
  CONSTRAINT stored_month_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.stored_day (
  site_id   smallint NOT NULL,
  day       date NOT NULL,
  bytes     bigint NOT NULL,
  row_count bigint NOT NULL,
  CONSTRAINT stored_day_pkey PRIMARY KEY (site_id, day),
  CONSTRAINT stored_day_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);

CREATE TABLE analytics.report (
  report_id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  site_id   smallint NOT NULL,
  user_id   integer NOT NULL,
  login     text NOT NULL,
  frequency text NOT NULL,
  recipient text NOT NULL,
  token     text NOT NULL,
  covered   date NOT NULL,
  next_at   timestamptz NOT NULL,
  attempts  integer NOT NULL DEFAULT 0,
  sent_at   timestamptz,
  fault     text,
  CONSTRAINT report_pkey PRIMARY KEY (report_id),
  CONSTRAINT report_token_key UNIQUE (token),
  CONSTRAINT report_frequency_check CHECK ((frequency = ANY (ARRAY['weekly'::text, 'monthly'::text]))),
  CONSTRAINT report_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX report_recipient ON analytics.report USING btree (site_id, user_id, frequency, lower(recipient));

CREATE TABLE analytics.note (
  note_id  integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  site_id  smallint NOT NULL,
  day      date NOT NULL,
  text     text NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT note_pkey PRIMARY KEY (note_id),
  CONSTRAINT note_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE INDEX note_day ON analytics.note USING btree (site_id, day);

CREATE TABLE analytics.report_test (
  recipient text NOT NULL,
  sent_at   timestamptz NOT NULL,
  CONSTRAINT report_test_pkey PRIMARY KEY (recipient)
);

CREATE TABLE analytics.erased_digest (
  site_id    smallint NOT NULL,
  digest     bytea NOT NULL,
  erasure_id uuid NOT NULL,
  name_no    integer,
  CONSTRAINT erased_digest_pkey PRIMARY KEY (site_id, digest, erasure_id),
  CONSTRAINT erased_digest_site_id_fkey FOREIGN KEY (site_id) REFERENCES analytics.site(site_id) ON DELETE CASCADE
);
CREATE INDEX erased_digest_erasure ON analytics.erased_digest USING btree (erasure_id) WHERE (name_no IS NOT NULL);
