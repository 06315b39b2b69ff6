-- Imports accept no times before 1995, but SQL could write them. The columnar copy counts local times in seconds since 1970, which would
-- be negative. Stored rows are not checked, because that would block a large site for minutes.
ALTER TABLE analytics.page_view ADD CONSTRAINT page_view_at_check CHECK (at >= '1970-01-02 00:00:00+00') NOT VALID;
ALTER TABLE analytics.click ADD CONSTRAINT click_at_check CHECK (at >= '1970-01-02 00:00:00+00') NOT VALID;
ALTER TABLE analytics.event ADD CONSTRAINT event_at_check CHECK (at >= '1970-01-02 00:00:00+00') NOT VALID;
