-- The id of the request that a query came with, by which the log has it; null for older records.
ALTER TABLE analytics.query_record ADD COLUMN request_id text;

CREATE OR REPLACE VIEW analytics.query_record_view AS
SELECT
  coalesce(site.site_id, (SELECT site_id FROM analytics.site ORDER BY is_default DESC, site_id LIMIT 1)) AS site_id,
  r.query_id, r.asked_at, r.login, r.key_name, r.key_uuid::text AS key_uuid, r.page, r.version,
  r.tracking_id AS asked_tracking_id, r.view, r.query, r.row_count, r.milliseconds, r.engine, r.engine_reason, r.status,
  r.error_code, r.error_at, r.caller_address, r.request_id
FROM analytics.query_record r LEFT JOIN analytics.site USING (tracking_id);
