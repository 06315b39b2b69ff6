-- match: later rows in the file that contradict the first one with the same key.
UPDATE staged s SET status = 3
  FROM staged f
 WHERE s.twin_of = f.line
   AND NOT to_jsonb(f) @> jsonb_strip_nulls(to_jsonb(s) - ARRAY['line', 'status', 'twin_of', 'pv_id', 'reader_id']);
