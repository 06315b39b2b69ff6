-- A server that takes over as the primary may lack the last transactions of the one before. Versions that those had raised must
-- not come again with other data, since copies and cached results know them. So every timeline of the database has versions
-- of its own: what a site is raised to begins at 2^32 times the number of earlier timelines.
CREATE FUNCTION analytics.keep_timelines_apart() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  timeline CONSTANT bigint := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint;
BEGIN
  NEW.data_version := greatest(NEW.data_version, (timeline - 1) << 32);
  RETURN NEW;
END
$$;

CREATE TRIGGER keep_timelines_apart BEFORE INSERT OR UPDATE OF data_version ON analytics.site
  FOR EACH ROW EXECUTE FUNCTION analytics.keep_timelines_apart();
