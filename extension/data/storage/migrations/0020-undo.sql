-- Undoing imports.
ALTER TABLE analytics.import_run
  -- Counts the imports of a site that were done, in the order of their ends: the last one is undone first.
  ADD COLUMN end_no integer;
UPDATE analytics.import_run r SET end_no = n.end_no
  FROM (SELECT import_id, row_number() OVER (PARTITION BY site_id ORDER BY finished_at, import_id) AS end_no
          FROM analytics.import_run WHERE status = 'done') n
 WHERE n.import_id = r.import_id;
CREATE INDEX import_run_end ON analytics.import_run (site_id, end_no);

-- null: had the import never come, the row would have been removed since. Undoing the import removes it.
ALTER TABLE analytics.import_replaced ALTER COLUMN old DROP NOT NULL;

ALTER TABLE analytics.removal
  DROP CONSTRAINT removal_kind_check,
  ADD CONSTRAINT removal_kind_check CHECK (kind IN ('site', 'days', 'visitor', 'retention', 'undo')),
  -- Of an undone import: its number, and how many rows have their earlier values again.
  ADD COLUMN import_id integer,
  ADD COLUMN restored  bigint;
