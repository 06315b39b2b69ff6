-- What triggers cannot do where the tables are divided over the machines of a Citus: a trigger of one machine changes nothing on
-- another. There TRUNCATE, and changes by hand of rows that every site shares, are refused; the program does neither. A site's
-- version is added by whoever adds the site.
CREATE FUNCTION analytics.is_divided() RETURNS boolean STABLE LANGUAGE plpgsql AS $$
BEGIN
  -- Two statements, since the second one names a table of Citus.
  IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN
    RETURN false;
  END IF;
  RETURN EXISTS (SELECT FROM pg_catalog.pg_dist_partition
                  WHERE logicalrelid = 'analytics.site_version'::regclass AND partmethod = 'h');
END
$$;

CREATE OR REPLACE FUNCTION analytics.add_site_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT analytics.is_divided() THEN
    INSERT INTO analytics.site_version (site_id) VALUES (NEW.site_id);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION analytics.note_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF analytics.is_divided() THEN
    RAISE EXCEPTION 'Tables that are divided over machines cannot be truncated; DELETE FROM them instead.';
  END IF;
  INSERT INTO analytics.change (site_id, table_name, low, high)
  SELECT site_id, TG_TABLE_NAME, TG_ARGV[0]::bigint, TG_ARGV[1]::bigint FROM analytics.site ON CONFLICT DO NOTHING;
  UPDATE analytics.site_version SET data_version = data_version + 1, changed_in = pg_current_xact_id()
   WHERE changed_in IS DISTINCT FROM pg_current_xact_id();
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION analytics.note_shared_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF analytics.is_divided() THEN
    RAISE EXCEPTION 'Rows that all sites share cannot be changed where the tables are divided over machines.';
  END IF;
  UPDATE analytics.site_version SET data_version = data_version + 1, changed_in = pg_current_xact_id()
   WHERE changed_in IS DISTINCT FROM pg_current_xact_id();
  RETURN NULL;
END
$$;
