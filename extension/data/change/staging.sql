-- The temporary tables of a site change, created once per connection and empty after every commit.

-- The facts of new views: each column holds the value from the file, or null. The more columns precede a column, the longer it takes
-- to read, so the columns that are read before apply-new.sql come first.
CREATE TEMPORARY TABLE staged ON COMMIT DELETE ROWS AS
SELECT at, reader_id, pv_id, page_id, session_id, named_by, page_state_id, reader_state_id, browse_sec, is_browse_derived, is_visit_traffic,
       view_source_id, view_medium_id, view_campaign_id, view_content_id FROM analytics.page_view WHERE false;
DO $$
BEGIN
  EXECUTE (
    SELECT 'ALTER TABLE staged ' || string_agg(format('ADD %I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = 'analytics.page_view'::regclass AND attnum > 0 AND NOT attisdropped
       AND attname NOT IN (SELECT attname FROM pg_attribute WHERE attrelid = 'pg_temp.staged'::regclass));
END
$$;
-- The planner needs little more than the number of rows.
ALTER TABLE staged ALTER site_id SET STATISTICS 1;

-- Stored views that are changed in place, before and after the change. Rows with removed_from were removed from that table; removed views
-- include their order within a second. All rows with removed_from are deleted from this table before values are derived. Rows with row_id 0 and
-- no visit contain visitors' first-seen times that are stored or deleted.
CREATE TEMPORARY TABLE touched (
  row_id bigint NOT NULL, reader_id bigint, at timestamptz, session_id bigint, order_no numeric, removed_from text) ON COMMIT DELETE ROWS;

-- The visits whose values are derived again and, in separate rows, the visitors of changed views. is_known: the visitor
-- has an earlier visit that is unaffected. seen_at: when the visitor was first seen, according to visitor_first.
CREATE TEMPORARY TABLE affected (session_id bigint, reader_id bigint, is_known boolean, seen_at timestamptz) ON COMMIT DELETE ROWS;

-- The derived values of each view in an affected visit, with the columns from derive.sql. is_staged: the view is in staged.
CREATE TEMPORARY TABLE derived ON COMMIT DELETE ROWS AS :derive WITH NO DATA;

-- Ids that a transaction notes for a later step, by kind: visits, visitors, pages and rows to examine again, removed text ids,
-- strings that may be unused, and rows from a file with their line numbers.
CREATE TEMPORARY TABLE noted (kind text COLLATE "C" NOT NULL, id bigint NOT NULL, line bigint, PRIMARY KEY (kind, id)) ON COMMIT DELETE ROWS;

-- The states of pages in staged views, with the time of the newest view in each state. A state may have several rows.
CREATE TEMPORARY TABLE staged_states (page_id integer NOT NULL, page_state_id integer NOT NULL, at timestamptz NOT NULL) ON COMMIT DELETE ROWS;
