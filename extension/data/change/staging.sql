-- The temporary tables of a site change, created once per connection and empty after every commit.

-- The facts of new views: each column holds the value from the file, or null. may_be_known: the visitor may have stored views.
CREATE TEMPORARY TABLE staged ON COMMIT DELETE ROWS AS
SELECT NULL::boolean AS may_be_known, * FROM analytics.page_view WHERE false;
-- The planner needs little more than the number of rows.
ALTER TABLE staged ALTER may_be_known SET STATISTICS 1;

-- Stored views that are removed or changed in place, before and after the change. Removed ones have an order_no until all of them are known.
CREATE TEMPORARY TABLE touched (
  pv_id bigint NOT NULL, reader_id bigint NOT NULL, at timestamptz NOT NULL, session_id bigint NOT NULL, order_no numeric) ON COMMIT DELETE ROWS;

-- The visits whose derived values have to be computed again.
CREATE TEMPORARY TABLE affected_visit (session_id bigint PRIMARY KEY) ON COMMIT DELETE ROWS;

-- Visitors referenced by a row before or after the change: the earliest time the change affects, and their first stored view that is
-- unchanged.
CREATE TEMPORARY TABLE affected_visitor (
  reader_id bigint NOT NULL, changed_at timestamptz NOT NULL, first_at timestamptz, first_session_id bigint) ON COMMIT DELETE ROWS;

-- The derived values of each view in an affected visit, with the columns of derive.sql. is_staged: the view is in staged.
CREATE TEMPORARY TABLE derived ON COMMIT DELETE ROWS AS :derive WITH NO DATA;

-- The numbers of removed rows. Without an index, which a removal of many days would pay for.
CREATE TEMPORARY TABLE removed (table_name text NOT NULL, row_id bigint NOT NULL) ON COMMIT DELETE ROWS;

-- Ids that a transaction notes for a later step, by kind: visits, visitors, pages and rows to look at again, removed textual ids, and
-- texts that may be unused.
CREATE TEMPORARY TABLE noted (kind text COLLATE "C" NOT NULL, id bigint NOT NULL, PRIMARY KEY (kind, id)) ON COMMIT DELETE ROWS;

-- The stored rows of one table that a file of an import has given so far, with their lines: by batches, until a file gives a stored row.
-- Most files give none, and one row here for each of theirs would be expensive.
CREATE TEMPORARY TABLE file_batch (row_ids bigint[], lines bigint[], is_new boolean) ON COMMIT DELETE ROWS;
ALTER TABLE file_batch ALTER row_ids SET STORAGE EXTERNAL, ALTER lines SET STORAGE EXTERNAL;
CREATE TEMPORARY TABLE file_row (row_id bigint, line bigint, is_new boolean) ON COMMIT DELETE ROWS;
CREATE INDEX ON file_row (row_id);
