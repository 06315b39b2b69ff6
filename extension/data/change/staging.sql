-- The temporary tables of a site change, created once per connection and empty after every commit.

-- The facts of new views: each column holds the value from the file, or null.
CREATE TEMPORARY TABLE staged ON COMMIT DELETE ROWS AS SELECT * FROM analytics.page_view WHERE false;
-- The planner needs little more than the number of rows.
ALTER TABLE staged ALTER site_id SET STATISTICS 1;

-- Stored views that are changed in place, before and after the change. Rows with removed_from are removed rows of that table, with the
-- position of views among those in the same second; while derived values are computed, there are none.
CREATE TEMPORARY TABLE touched (
  row_id bigint NOT NULL, reader_id bigint, at timestamptz, session_id bigint, order_no numeric, removed_from text) ON COMMIT DELETE ROWS;

-- The visits whose values are derived again and, in separate rows, the visitors of changed views. is_known: the visitor
-- has an earlier visit that stays as it is.
CREATE TEMPORARY TABLE affected (session_id bigint, reader_id bigint, is_known boolean) ON COMMIT DELETE ROWS;

-- The derived values of each view in an affected visit, with the columns from derive.sql. is_staged: the view is in staged.
CREATE TEMPORARY TABLE derived ON COMMIT DELETE ROWS AS :derive WITH NO DATA;

-- Ids that a transaction notes for a later step, by kind: visits, visitors, pages and rows to examine again, removed text ids, strings that
-- may be unused, and the rows from a file with their lines.
CREATE TEMPORARY TABLE noted (kind text COLLATE "C" NOT NULL, id bigint NOT NULL, line bigint, PRIMARY KEY (kind, id)) ON COMMIT DELETE ROWS;

-- The states of pages in staged views: for each piece, the time of the newest view with each state.
CREATE TEMPORARY TABLE said (page_id integer NOT NULL, page_state_id integer NOT NULL, at timestamptz NOT NULL) ON COMMIT DELETE ROWS;
