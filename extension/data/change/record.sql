-- record: the previous state, so that the import can be undone. $1 site, $2 import.
INSERT INTO analytics.import_record (site_id, import_id, table_name, kind, ids)
SELECT $1::smallint, $2::integer, 'page_view', 'added', range_agg(int8range(low, high, '[]'))
  FROM (SELECT min(pv_id) AS low, max(pv_id) AS high
          FROM (SELECT pv_id, pv_id - row_number() OVER (ORDER BY pv_id) AS run FROM staged WHERE status = 0) r GROUP BY run) runs
HAVING count(*) > 0;

INSERT INTO analytics.import_record (site_id, import_id, table_name, kind, row_id, old)
SELECT $1::smallint, $2::integer, 'page_view', 'changed', v.pv_id, jsonb_strip_nulls(to_jsonb(v))
  FROM staged s JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = s.pv_id
 WHERE s.status IN (2, 5)
   AND NOT EXISTS (SELECT FROM analytics.import_record r
                    WHERE r.site_id = $1 AND r.import_id = $2 AND r.table_name = 'page_view' AND r.kind = 'added' AND r.ids @> v.pv_id)
ON CONFLICT (site_id, import_id, table_name, row_id) DO NOTHING;
