-- apply: writes each new view once, in chronological order.
INSERT INTO analytics.page_view (:facts, :derived)
SELECT f.:facts, n.:derived
  FROM staged f JOIN derived d ON d.pv_id = f.pv_id AND d.is_staged, LATERAL (SELECT :stored) n
 ORDER BY f.at, f.pv_id;
