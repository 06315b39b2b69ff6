-- The lines of a file keep their order within a second even if an earlier import stored some of them: a new view gets a number just below
-- that of the stored view that it precedes. $1: site. $2: stored views without a given id that are also in the file. $3 and $4: for each of
-- these, the range of pv_ids of the lines before it.
WITH met AS (
  SELECT m.first_id, m.next_id, v.at, v.reader_id, v.order_no
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS m (pv_id, first_id, next_id), LATERAL (
      SELECT at, reader_id, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view
       WHERE site_id = (SELECT $1::smallint) AND pv_id BETWEEN m.pv_id AND m.pv_id ORDER BY pv_id OFFSET 0) v
), lines AS (
  -- The views of these seconds, ordered by id, with a marker for each matched view between the new views before and after it.
  SELECT at, reader_id, 2 * next_id - 1 AS line, first_id, order_no AS met_no, NULL::bigint AS pv_id, NULL::numeric AS order_no FROM met
  UNION ALL
  SELECT s.at, s.reader_id, 2 * y.pv_id, NULL, NULL, y.pv_id, y.order_no
    FROM (SELECT DISTINCT at, reader_id FROM met) s, LATERAL (
      SELECT pv_id, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view
       WHERE site_id = (SELECT $1::smallint) AND reader_id BETWEEN s.reader_id AND s.reader_id
         AND (reader_id, at) >= (s.reader_id, s.at) AND (reader_id, at) <= (s.reader_id, s.at)
       ORDER BY reader_id, at OFFSET 0) y
), filed AS (
  -- The ids of a file's lines are consecutive. So if any later stored line is in the same file as a new line, the next stored line is too.
  SELECT *, min(first_id) OVER (PARTITION BY at, reader_id ORDER BY line DESC) AS file FROM lines
), late AS (
  SELECT pv_id, order_no, at, reader_id, below
    FROM (SELECT *, min(met_no) OVER (PARTITION BY at, reader_id, file ORDER BY line DESC) AS below FROM filed) f
   WHERE pv_id >= file AND order_no > below
), gaps AS (
  SELECT l.below, l.at, l.reader_id, l.unit, coalesce(v.above, l.below - 1) AS above
    FROM (SELECT below, at, reader_id, ('1e-' || length(count(*)::text))::numeric AS unit FROM late GROUP BY below, at, reader_id) l
    LEFT JOIN (
      SELECT at, order_no, lag(order_no) OVER (PARTITION BY at ORDER BY order_no) AS above
        FROM (SELECT DISTINCT at, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view
               WHERE site_id = (SELECT $1::smallint) AND at = ANY (ARRAY(SELECT at FROM late))) n) v ON v.at = l.at AND v.order_no = l.below
), placed AS MATERIALIZED (
  -- The steps are tenths, hundredths and so on of the gap, because products of decimals are exact.
  SELECT l.pv_id, g.above + (g.below - g.above) * g.unit * row_number() OVER (PARTITION BY below, at, reader_id ORDER BY l.order_no) AS order_no
    FROM late l JOIN gaps g USING (below, at, reader_id)
), moved AS (
  UPDATE analytics.page_view v SET order_no = p.order_no FROM placed p
   WHERE v.site_id = (SELECT $1::smallint) AND v.pv_id = ANY (ARRAY(SELECT pv_id FROM placed)) AND v.pv_id = p.pv_id
  RETURNING v.pv_id, v.reader_id, v.at, v.session_id
)
INSERT INTO touched (row_id, reader_id, at, session_id) SELECT pv_id, reader_id, at, session_id FROM moved;
