-- apply: updates stored views whose derived values have changed; given values are kept. $1: site.
WITH moved AS MATERIALIZED (
  SELECT d.pv_id, n.*
    FROM derived d, LATERAL (
           SELECT * FROM analytics.page_view v WHERE v.site_id = (SELECT $1::smallint) AND v.pv_id BETWEEN d.pv_id AND d.pv_id
            ORDER BY v.pv_id OFFSET 0) f,
         LATERAL (SELECT :stored) n
   WHERE NOT d.is_staged AND (f.:derived) IS DISTINCT FROM (n.:derived)
)
UPDATE analytics.page_view v SET (:derived) = ROW (m.:derived)
  FROM moved m
 WHERE v.site_id = (SELECT $1::smallint) AND v.pv_id = ANY (ARRAY(SELECT pv_id FROM moved)) AND v.pv_id = m.pv_id;
