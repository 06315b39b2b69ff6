-- If all sites are tiny, their statistics let the planner assume that any site has one row. Until the first large import ends, it would
-- choose any index that starts with the site, and read all rows of the site for each key. So it assumes what it does for a table
-- without statistics. Divided tables do not support this.
DO $$
DECLARE
  one regclass;
BEGIN
  IF analytics.is_divided() THEN
    RETURN;
  END IF;
  FOR one IN
    SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'site_id'
     WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'r'
       AND (SELECT count(*) FROM pg_index i WHERE i.indrelid = c.oid) > 1
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER site_id SET (n_distinct = 200)', one);
  END LOOP;
  ALTER TABLE analytics.page_view ALTER pv_id SET (n_distinct = -1);
END
$$;
