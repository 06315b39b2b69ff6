-- The temporary tables of a site change, created once per connection and empty after every commit.

-- What a change adds, replaces or removes: each column holds the value from the file, or null. status: 0 new, 1 identical to a stored
-- row or an earlier row in the file, 2 changes a stored row, 3 conflicts, 4 unchanged, 5 removed.
-- twin_of: the line of the first row in the file with the same key. may_be_known: the visitor may have stored views.
CREATE TEMPORARY TABLE staged ON COMMIT DELETE ROWS AS
SELECT *, NULL::bigint AS line, NULL::smallint AS status, NULL::bigint AS twin_of, NULL::boolean AS may_be_known FROM analytics.page_view WHERE false;

-- The visits whose derived values have to be computed again.
CREATE TEMPORARY TABLE affected_visit (session_id bigint PRIMARY KEY) ON COMMIT DELETE ROWS;

-- Visitors referenced by a row before or after the change: the earliest time the change affects, and their first stored view that is
-- unchanged.
CREATE TEMPORARY TABLE affected_visitor (
  reader_id bigint PRIMARY KEY, changed_at timestamptz NOT NULL, first_at timestamptz, first_session_id bigint) ON COMMIT DELETE ROWS;

-- Derived values for each view of an affected visit. is_staged: its source data is in staged.
CREATE TEMPORARY TABLE derived (
  pv_id bigint NOT NULL, is_staged boolean NOT NULL, session_id bigint NOT NULL, pv integer NOT NULL, is_last boolean NOT NULL,
  prev_page_id integer NOT NULL, next_page_id integer NOT NULL, is_newuser boolean, browse_sec integer,
  source_id integer, medium_id integer, campaign_id integer, content_id integer) ON COMMIT DELETE ROWS;
