-- Records of queries as the material query_record.
ALTER TABLE analytics.query_record
  -- As JSON, by default without the values of filters; null where it was refused or too long.
  ADD COLUMN query text;
CREATE INDEX query_record_time ON analytics.query_record (asked_at);

-- Every record belongs to a site, so that nothing reads it without one: that of the query; where there is none, as for
-- `all` and unknown sites, the default site, or else the first.
CREATE VIEW analytics.query_record_view AS
SELECT
  coalesce(site.site_id, (SELECT site_id FROM analytics.site ORDER BY is_default DESC, site_id LIMIT 1)) AS site_id,
  r.query_id, r.asked_at, r.login, r.key_name, r.key_uuid::text AS key_uuid, r.page, r.version,
  r.tracking_id AS asked_tracking_id, r.view, r.query, r.row_count, r.milliseconds, r.engine, r.engine_reason, r.status,
  r.error_code, r.error_at
FROM analytics.query_record r LEFT JOIN analytics.site USING (tracking_id);
