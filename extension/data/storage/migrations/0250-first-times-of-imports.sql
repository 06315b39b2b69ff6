-- The import whose file contained the time, so that its undo removes it; 0 if no undo does.
ALTER TABLE analytics.visitor_first ADD COLUMN import_id integer NOT NULL DEFAULT 0;
ALTER TABLE analytics.visitor_first DROP CONSTRAINT visitor_first_pkey;
ALTER TABLE analytics.visitor_first ADD PRIMARY KEY (site_id, reader_id, import_id);

-- Only a time before a visitor's first stored view shows that the visitor is not new. For visitors whose first view was removed
-- before these times were stored, or in the same second as their next view, the time of that next view is stored.
UPDATE analytics.visitor_first f SET first_at = to_timestamp(extract(epoch FROM f.first_at - to_timestamp(0))::float8 - 1)
 WHERE EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = f.site_id AND v.reader_id = f.reader_id AND v.at = f.first_at
                  AND NOT v.is_newuser AND v.given_is_newuser IS NULL)
   AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = f.site_id AND v.reader_id = f.reader_id AND v.at < f.first_at);
