-- A followed log is known again by what it holds: its beginning, and the bytes before the place. Places of before are not known
-- that way; their logs are read from the beginning once more, and rows that are stored are known again.
DELETE FROM analytics.followed_file;
ALTER TABLE analytics.followed_file
  ALTER COLUMN inode TYPE text,
  -- The hash of the bytes before the position. `head` is that of the first ones.
  ADD COLUMN tail text NOT NULL,
  -- When the newest file before this one was written last, in nanoseconds.
  ADD COLUMN since numeric NOT NULL,
  -- The place in that file, while it may grow.
  ADD COLUMN previous jsonb;

-- What was rotated away from a followed log before it could be read.
CREATE TABLE analytics.follow_gap (
  gap_id    integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id   smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  material  text NOT NULL,
  path      text NOT NULL,
  head      text NOT NULL,
  tail      text NOT NULL,
  -- It begins here in its file, and ends with it.
  position  bigint NOT NULL,
  -- Of the command that followed the log.
  options   text NOT NULL,
  found_at  timestamptz NOT NULL,
  closed_at timestamptz
);
CREATE INDEX ON analytics.follow_gap (site_id) WHERE closed_at IS NULL;
