-- match, first part: rows in the file with the same key.

-- Later rows in the file with the id of an earlier one, or with the same time, page and visitor.
UPDATE staged s SET status = 1, twin_of = k.line
  FROM (SELECT min(line) AS line, pv_id FROM staged WHERE pv_id < 4000000000000000 GROUP BY pv_id HAVING count(*) > 1) k
 WHERE s.pv_id = k.pv_id AND s.line > k.line;

UPDATE staged s SET status = 1, twin_of = k.line
  FROM (SELECT min(line) AS line, at, page_id, reader_id, source_no FROM staged
         WHERE pv_id >= 4000000000000000 AND named_by <> 6 GROUP BY 2, 3, 4, 5 HAVING count(*) > 1
        UNION ALL
        SELECT min(line), at, page_id, NULL, source_no FROM staged
         WHERE pv_id >= 4000000000000000 AND named_by = 6 GROUP BY 2, 3, 5 HAVING count(*) > 1) k
 WHERE s.pv_id >= 4000000000000000 AND s.at = k.at AND s.page_id = k.page_id AND s.source_no = k.source_no AND s.line > k.line
   AND (s.reader_id = k.reader_id OR k.reader_id IS NULL AND s.named_by = 6);
