-- The sets of a site among the many rows with earlier values.
CREATE INDEX import_record_sets ON analytics.import_record (site_id) WHERE ids IS NOT NULL;
