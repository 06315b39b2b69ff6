-- What an import can be undone by, in one table.
CREATE TABLE analytics.import_record (
  site_id    smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  import_id  integer NOT NULL,
  table_name text NOT NULL,
  -- added: the numbers of new rows. met: those of rows that were stored already. changed: the earlier values of such a row.
  -- void: its earlier values were removed since, so that an undo removes the row.
  kind       text NOT NULL,
  ids        int8multirange,
  row_id     bigint,
  old        jsonb,
  UNIQUE (site_id, import_id, table_name, row_id),
  CHECK (CASE WHEN kind IN ('added', 'met') THEN ids IS NOT NULL AND row_id IS NULL AND old IS NULL
              WHEN kind IN ('changed', 'void') THEN ids IS NULL AND row_id IS NOT NULL AND (old IS NULL) = (kind = 'void')
              ELSE false END)
);
INSERT INTO analytics.import_record (site_id, import_id, table_name, kind, ids)
SELECT i.site_id, r.import_id, r.table_name, CASE WHEN r.is_new THEN 'added' ELSE 'met' END, r.ids
  FROM analytics.import_rows r JOIN analytics.import_run i USING (import_id);
INSERT INTO analytics.import_record (site_id, import_id, table_name, kind, row_id, old)
SELECT i.site_id, r.import_id, r.table_name, CASE WHEN r.old IS NULL THEN 'void' ELSE 'changed' END, r.row_id, r.old
  FROM analytics.import_replaced r JOIN analytics.import_run i USING (import_id);
DROP TABLE analytics.import_rows;
DROP TABLE analytics.import_replaced;
