-- The lines of a file keep their order within a second although some of them were stored by an earlier import: a new view gets a number
-- just below the stored view that it comes before. $1 site. $2 stored views without an id of their own that the file contains as well,
-- $3 and $4 the range of pv_ids that the lines before them got.
WITH met AS (
  SELECT m.first_id, m.next_id, v.at, v.reader_id, v.order_no
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS m (pv_id, first_id, next_id), LATERAL (
      SELECT at, reader_id, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view
       WHERE site_id = (SELECT $1::smallint) AND pv_id = m.pv_id OFFSET 0) v
), late AS (
  SELECT y.pv_id, y.order_no, m.at, m.reader_id, min(m.order_no) AS below
    FROM met m, LATERAL (
      SELECT pv_id, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view
       WHERE site_id = (SELECT $1::smallint) AND reader_id = m.reader_id AND at = m.at AND pv_id >= m.first_id AND pv_id < m.next_id
      OFFSET 0) y
   WHERE y.order_no > m.order_no GROUP BY y.pv_id, y.order_no, m.at, m.reader_id
), gaps AS (
  SELECT l.below, l.at, l.reader_id, l.unit, coalesce(v.above, l.below - 1) AS above
    FROM (SELECT below, at, reader_id, ('1e-' || length(count(*)::text))::numeric AS unit FROM late GROUP BY below, at, reader_id) l, LATERAL (
      SELECT max(coalesce(order_no, pv_id)) AS above FROM analytics.page_view
       WHERE site_id = (SELECT $1::smallint) AND at = l.at AND coalesce(order_no, pv_id) < l.below OFFSET 0) v
), placed AS MATERIALIZED (
  -- Tenths, hundredths and so on of the gap: a product of decimals is exact.
  SELECT l.pv_id, g.above + (g.below - g.above) * g.unit * row_number() OVER (PARTITION BY below, at, reader_id ORDER BY l.order_no) AS order_no
    FROM late l JOIN gaps g USING (below, at, reader_id)
), moved AS (
  UPDATE analytics.page_view v SET order_no = p.order_no FROM placed p
   WHERE v.site_id = (SELECT $1::smallint) AND v.pv_id = ANY (ARRAY(SELECT pv_id FROM placed)) AND v.pv_id = p.pv_id
  RETURNING v.pv_id, v.reader_id, v.at, v.session_id
)
INSERT INTO touched (row_id, reader_id, at, session_id) SELECT pv_id, reader_id, at, session_id FROM moved;
