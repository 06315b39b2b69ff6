-- The source of clicks and events, which is part of what identifies them. Until now, only their fingerprints contained its name.
ALTER TABLE analytics.click ADD COLUMN source_no smallint NOT NULL DEFAULT 0;
ALTER TABLE analytics.event ADD COLUMN source_no smallint NOT NULL DEFAULT 0;

INSERT INTO analytics.import_source (site_id, source_no, source_name)
SELECT n.site_id, coalesce(l.last, 0) + row_number() OVER (PARTITION BY n.site_id ORDER BY n.first_import), n.source_name
  FROM (SELECT site_id, source_name, min(import_id) AS first_import
          FROM analytics.import_run
         WHERE material IN ('click_event', 'datalayer_event') AND status <> 'failed' AND source_name IS NOT NULL
         GROUP BY site_id, source_name) n
  LEFT JOIN (SELECT site_id, max(source_no) AS last FROM analytics.import_source GROUP BY site_id) l USING (site_id)
 WHERE NOT EXISTS (SELECT FROM analytics.import_source s WHERE s.site_id = n.site_id AND s.source_name = n.source_name);

-- The column that changes is not among those that queries read, so no day counts as changed.
ALTER TABLE analytics.click DISABLE TRIGGER USER;
ALTER TABLE analytics.event DISABLE TRIGGER USER;

-- Where all imports of clicks (or events) named the same source, it is that of all rows.
UPDATE analytics.click c SET source_no = s.source_no
  FROM (SELECT site_id, min(source_name) AS source_name FROM analytics.import_run WHERE material = 'click_event' AND status <> 'failed'
         GROUP BY site_id HAVING count(*) = count(source_name) AND min(source_name) = max(source_name)) r
  JOIN analytics.import_source s USING (site_id, source_name)
 WHERE c.site_id = r.site_id;
UPDATE analytics.event e SET source_no = s.source_no
  FROM (SELECT site_id, min(source_name) AS source_name FROM analytics.import_run WHERE material = 'datalayer_event' AND status <> 'failed'
         GROUP BY site_id HAVING count(*) = count(source_name) AND min(source_name) = max(source_name)) r
  JOIN analytics.import_source s USING (site_id, source_name)
 WHERE e.site_id = r.site_id;

-- Otherwise only the records of imports that can still be undone contain it.
UPDATE analytics.click c SET source_no = s.source_no
  FROM analytics.import_record r JOIN analytics.import_run i USING (import_id) JOIN analytics.import_source s
    ON s.site_id = i.site_id AND s.source_name = i.source_name
 WHERE r.table_name = 'click' AND r.kind = 'added' AND c.site_id = r.site_id AND r.ids @> c.click_id;
UPDATE analytics.event e SET source_no = s.source_no
  FROM analytics.import_record r JOIN analytics.import_run i USING (import_id) JOIN analytics.import_source s
    ON s.site_id = i.site_id AND s.source_name = i.source_name
 WHERE r.table_name = 'event' AND r.kind = 'added' AND e.site_id = r.site_id AND r.ids @> e.event_id;

ALTER TABLE analytics.click ENABLE TRIGGER USER;
ALTER TABLE analytics.event ENABLE TRIGGER USER;
