-- record: the previous state, so that the import can be undone. $1 site, $2 import.
INSERT INTO analytics.import_rows (import_id, table_name, is_new, ids)
SELECT $2::integer, 'page_view', true, range_agg(int8range(low, high, '[]'))
  FROM (SELECT min(pv_id) AS low, max(pv_id) AS high
          FROM (SELECT pv_id, pv_id - row_number() OVER (ORDER BY pv_id) AS run FROM staged WHERE status = 0) r GROUP BY run) runs
HAVING count(*) > 0;

INSERT INTO analytics.import_replaced (import_id, table_name, row_id, old)
SELECT $2::integer, 'page_view', v.pv_id, jsonb_strip_nulls(to_jsonb(v))
  FROM staged s JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = s.pv_id
 WHERE s.status IN (2, 5)
   AND NOT EXISTS (SELECT FROM analytics.import_rows r
                    WHERE r.import_id = $2 AND r.table_name = 'page_view' AND r.is_new AND r.ids @> v.pv_id)
ON CONFLICT (import_id, table_name, row_id) DO NOTHING;
