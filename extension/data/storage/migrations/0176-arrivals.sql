-- An arrival is a file that contains a waiting row, with its import and the line. When the view comes, the row is imported once for each, in
-- the order of their numbers. Of an import that contained it more than twice, the first and the last arrival are kept.
ALTER TABLE analytics.waiting_row ADD COLUMN arrivals bigint[], ADD COLUMN lines bigint[];
-- Rows of before arrived by import, and before all others.
UPDATE analytics.waiting_row
   SET arrivals = ARRAY(SELECT id - 2147483648 FROM unnest(import_ids) WITH ORDINALITY AS i(id, place) ORDER BY place),
       lines = array_fill(line, ARRAY[cardinality(import_ids)]);
ALTER TABLE analytics.waiting_row
  ALTER COLUMN arrivals SET NOT NULL,
  ALTER COLUMN lines SET NOT NULL,
  DROP COLUMN line;
