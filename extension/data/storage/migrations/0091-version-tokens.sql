-- A site's version is a number and a random token, because numbers come again: after a restore of files, after a crash that lost
-- commits, on a server that took over. Whoever remembers a token follows only the history in which that token was made.
TRUNCATE analytics.change;
DROP INDEX analytics.change_age;
ALTER TABLE analytics.change DROP CONSTRAINT change_pkey;
ALTER TABLE analytics.change DROP COLUMN transaction;
ALTER TABLE analytics.change ADD COLUMN data_version bigint NOT NULL;
-- Only of the rows of the table site_version, one for each version: its token, and that of the version before it.
ALTER TABLE analytics.change ADD COLUMN token uuid;
ALTER TABLE analytics.change ADD COLUMN token_before uuid;
ALTER TABLE analytics.change ADD PRIMARY KEY (site_id, data_version, table_name, low, high);

ALTER TABLE analytics.site_version DROP COLUMN changed_in;
ALTER TABLE analytics.site_version ADD COLUMN token uuid NOT NULL DEFAULT gen_random_uuid();

DROP TRIGGER keep_timelines_apart ON analytics.site_version;
DROP FUNCTION analytics.keep_timelines_apart();

-- However the number is written, it rises by one. A row of an earlier site with the same id may be in the way.
CREATE FUNCTION analytics.link_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.data_version := OLD.data_version + 1;
  NEW.token := gen_random_uuid();
  INSERT INTO analytics.change (site_id, data_version, table_name, low, high, token, token_before)
  VALUES (NEW.site_id, NEW.data_version, 'site_version', 0, 0, NEW.token, OLD.token)
  ON CONFLICT (site_id, data_version, table_name, low, high) DO UPDATE
    SET token = EXCLUDED.token, token_before = EXCLUDED.token_before, changed_at = EXCLUDED.changed_at;
  RETURN NEW;
END
$$;

-- Triggers of tables that are divided over machines need it; elsewhere it means nothing.
SET LOCAL citus.enable_unsafe_triggers = on;
CREATE TRIGGER link_version BEFORE UPDATE OF data_version ON analytics.site_version
  FOR EACH ROW EXECUTE FUNCTION analytics.link_version();

-- Raises the version of each site once in a transaction, and locks its row until the end: so versions are committed in their order,
-- and what a snapshot sees of a site is exactly what was noted up to the version that it sees. The token that this transaction made
-- is in a setting, which a rollback takes back. Rows that a dimension gains or loses raise nothing, since no query sees them unless a row
-- refers to them; they belong to the next version, which nobody else can make before this transaction ends.
CREATE OR REPLACE FUNCTION analytics.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed_rows text;
  sites smallint[];
  lows bigint[];
  highs bigint[];
  setting text;
  version bigint;
  made uuid;
  raises CONSTANT boolean := TG_OP = 'UPDATE' OR TG_ARGV[2] = 'each';
BEGIN
  FOREACH changed_rows IN ARRAY (CASE TG_OP
    WHEN 'INSERT' THEN ARRAY['new_rows'] WHEN 'DELETE' THEN ARRAY['old_rows'] ELSE ARRAY['new_rows', 'old_rows'] END)
  LOOP
    EXECUTE format(
      'SELECT array_agg(site_id), array_agg(low), array_agg(high)
         FROM (SELECT site_id, min(%1$s) AS low, max(%1$s) AS high FROM %2$I GROUP BY site_id %3$s) units',
      TG_ARGV[1], changed_rows, CASE TG_ARGV[2] WHEN 'each' THEN ', ' || TG_ARGV[1] ELSE '' END)
      INTO sites, lows, highs;
    FOR i IN 1 .. coalesce(cardinality(sites), 0) LOOP
      IF i = 1 OR sites[i] <> sites[i - 1] THEN
        setting := 'qal.version_' || sites[i];
        SELECT data_version, token INTO version, made FROM analytics.site_version WHERE site_id = sites[i] FOR NO KEY UPDATE;
        IF made::text IS DISTINCT FROM current_setting(setting, true) THEN
          IF raises THEN
            UPDATE analytics.site_version SET data_version = data_version + 1 WHERE site_id = sites[i]
            RETURNING data_version, token INTO version, made;
            PERFORM set_config(setting, made::text, true);
          ELSE
            version := version + 1;
          END IF;
        END IF;
      END IF;
      -- The site itself is being removed.
      CONTINUE WHEN version IS NULL;
      INSERT INTO analytics.change (site_id, data_version, table_name, low, high)
      VALUES (sites[i], version, TG_ARGV[0], lows[i], highs[i]) ON CONFLICT DO NOTHING;
    END LOOP;
  END LOOP;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION analytics.note_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF analytics.is_divided() THEN
    RAISE EXCEPTION 'Tables that are divided over machines cannot be truncated; DELETE FROM them instead.';
  END IF;
  WITH raised AS (UPDATE analytics.site_version SET data_version = data_version + 1 RETURNING site_id, data_version)
  INSERT INTO analytics.change (site_id, data_version, table_name, low, high)
  SELECT site_id, data_version, TG_TABLE_NAME, TG_ARGV[0]::bigint, TG_ARGV[1]::bigint FROM raised;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION analytics.note_shared_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF analytics.is_divided() THEN
    RAISE EXCEPTION 'Rows that all sites share cannot be changed where the tables are divided over machines.';
  END IF;
  UPDATE analytics.site_version SET data_version = data_version + 1;
  RETURN NULL;
END
$$;
