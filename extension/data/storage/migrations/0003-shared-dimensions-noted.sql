-- Importers only add rows to the dimension tables that all sites share. Whoever changes or removes one by hand changes what
-- queries of any site see: their data versions rise, and copies read those tables anew.
CREATE FUNCTION analytics.note_shared_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE analytics.site SET data_version = data_version + 1, changed_in = pg_current_xact_id()
   WHERE changed_in IS DISTINCT FROM pg_current_xact_id();
  RETURN NULL;
END
$$;

DO $$
DECLARE
  shared text;
BEGIN
  FOREACH shared IN ARRAY ARRAY['os', 'browser', 'language', 'country', 'device'] LOOP
    EXECUTE format(
      'CREATE TRIGGER note_change AFTER UPDATE OR DELETE OR TRUNCATE ON analytics.%I
         FOR EACH STATEMENT EXECUTE FUNCTION analytics.note_shared_change()',
      shared);
  END LOOP;
END
$$;
