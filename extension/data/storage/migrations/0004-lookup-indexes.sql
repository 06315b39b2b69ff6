-- Indexes that look rows up by a key hold the key alone: equal keys are then stored once. Counting is the column copy's.
DROP INDEX analytics.page_view_reader;
CREATE INDEX page_view_reader ON analytics.page_view (site_id, reader_id);
DROP INDEX analytics.search_day_page;
CREATE INDEX search_day_page ON analytics.search_day (site_id, page_id);
DROP INDEX analytics.click_selector;
