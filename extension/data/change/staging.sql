-- The temporary tables of a site change, created once per connection and empty after every commit.

-- What a change adds, replaces or removes: each column holds the value from the file, or null. status: 0 new, 1 identical to a stored
-- row or an earlier row in the file, 2 changes a stored row, 3 conflicts, 4 unchanged, 5 removed.
-- twin_of: the line of the first row in the file with the same key. may_be_known: the visitor may have stored views.
CREATE TEMPORARY TABLE staged ON COMMIT DELETE ROWS AS
SELECT NULL::smallint AS status, NULL::boolean AS may_be_known, NULL::bigint AS line, NULL::bigint AS twin_of, *
  FROM analytics.page_view WHERE false;
-- All but a few rows have the same status: a small sample is enough for a plan.
ALTER TABLE staged ALTER status SET STATISTICS 1, ALTER status SET DEFAULT 0;

-- Stored views whose facts are changed where they are: as they were, and as they are now.
CREATE TEMPORARY TABLE touched (
  pv_id bigint NOT NULL, reader_id bigint NOT NULL, at timestamptz NOT NULL, session_id bigint NOT NULL) ON COMMIT DELETE ROWS;

-- The visits whose derived values have to be computed again.
CREATE TEMPORARY TABLE affected_visit (session_id bigint PRIMARY KEY) ON COMMIT DELETE ROWS;

-- Visitors referenced by a row before or after the change: the earliest time the change affects, and their first stored view that is
-- unchanged.
CREATE TEMPORARY TABLE affected_visitor (
  reader_id bigint NOT NULL, changed_at timestamptz NOT NULL, first_at timestamptz, first_session_id bigint) ON COMMIT DELETE ROWS;

-- What is derived for each view of an affected visit; a given value takes precedence when it is applied. is_staged: its source data is
-- in staged. is_newuser is null where it does not change.
CREATE TEMPORARY TABLE derived (
  is_staged boolean NOT NULL, pv_id bigint NOT NULL, session_id bigint NOT NULL, pv integer NOT NULL, is_last boolean NOT NULL,
  prev_page_id integer NOT NULL, next_page_id integer NOT NULL, is_newuser boolean, browse_sec integer,
  source_id integer, medium_id integer, campaign_id integer, content_id integer) ON COMMIT DELETE ROWS;
