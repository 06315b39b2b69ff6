-- The version of a site's data lies beside the data, in a table of its own, so that both can be on one of several machines.
CREATE TABLE analytics.site_version (
  site_id      smallint NOT NULL PRIMARY KEY REFERENCES analytics.site ON DELETE CASCADE,
  data_version bigint NOT NULL DEFAULT 0,
  -- The transaction that raised it last.
  changed_in   xid8
);

INSERT INTO analytics.site_version SELECT site_id, data_version, changed_in FROM analytics.site;

-- Every site has a version, whoever adds it.
CREATE FUNCTION analytics.add_site_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics.site_version (site_id) VALUES (NEW.site_id);
  RETURN NULL;
END
$$;

CREATE TRIGGER add_version AFTER INSERT ON analytics.site
  FOR EACH ROW EXECUTE FUNCTION analytics.add_site_version();

DROP TRIGGER keep_timelines_apart ON analytics.site;
CREATE TRIGGER keep_timelines_apart BEFORE INSERT OR UPDATE OF data_version ON analytics.site_version
  FOR EACH ROW EXECUTE FUNCTION analytics.keep_timelines_apart();

ALTER TABLE analytics.site DROP COLUMN data_version, DROP COLUMN changed_in;

-- The rows that a statement changed are read into arrays first: where tables are divided over machines, only a statement on
-- nothing else sees them. The name of the table is an argument, since it differs there, too. Arguments: the name, the unit of
-- a row (a day or an id), and whether each unit is noted or their span.
CREATE OR REPLACE FUNCTION analytics.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed_rows text;
  sites smallint[];
  lows bigint[];
  highs bigint[];
  -- Other statements have an earlier one beside them that raises the version: rows that refer to new ids.
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
      INSERT INTO analytics.change (site_id, transaction, table_name, low, high)
      VALUES (sites[i], pg_current_xact_id(), TG_ARGV[0], lows[i], highs[i]) ON CONFLICT DO NOTHING;
      CONTINUE WHEN NOT raises OR sites[i] = sites[i - 1];
      UPDATE analytics.site_version SET data_version = data_version + 1, changed_in = pg_current_xact_id()
       WHERE site_id = sites[i] AND changed_in IS DISTINCT FROM pg_current_xact_id();
    END LOOP;
  END LOOP;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION analytics.note_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO analytics.change (site_id, table_name, low, high)
  SELECT site_id, TG_TABLE_NAME, TG_ARGV[0]::bigint, TG_ARGV[1]::bigint FROM analytics.site ON CONFLICT DO NOTHING;
  UPDATE analytics.site_version SET data_version = data_version + 1, changed_in = pg_current_xact_id()
   WHERE changed_in IS DISTINCT FROM pg_current_xact_id();
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION analytics.note_shared_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE analytics.site_version SET data_version = data_version + 1, changed_in = pg_current_xact_id()
   WHERE changed_in IS DISTINCT FROM pg_current_xact_id();
  RETURN NULL;
END
$$;

-- The same triggers with the name of their table before their arguments.
DO $$
DECLARE
  it record;
BEGIN
  FOR it IN
    SELECT t.tgname, c.relname,
           regexp_replace(pg_get_triggerdef(t.oid), 'note_change\(', format('note_change(%L, ', c.relname)) AS definition
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE t.tgfoid = 'analytics.note_change'::regproc
  LOOP
    EXECUTE format('DROP TRIGGER %I ON analytics.%I', it.tgname, it.relname);
    EXECUTE it.definition;
  END LOOP;
END
$$;
