-- A fingerprint is found by the time of its view, which it is made of. Views come in the order of time, so that new ones go to
-- the end of this index, and one index serves both.
DROP INDEX analytics.page_view_fingerprint;
DROP INDEX analytics.page_view_at;
CREATE UNIQUE INDEX page_view_at ON analytics.page_view (site_id, at, fingerprint);
