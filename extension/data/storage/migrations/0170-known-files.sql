-- A followed log is one list of known files, each with a mark at the end of what was read of it; the last one was the log itself.
ALTER TABLE analytics.followed_file ADD COLUMN files jsonb;
UPDATE analytics.followed_file SET files =
  CASE WHEN previous IS NULL THEN '[]' ELSE jsonb_build_array(previous || '{"stamp": ""}') END
  -- Without an inode, nothing was read of the file.
  || CASE WHEN inode = '' THEN '[]' ELSE jsonb_build_array(
       jsonb_build_object('inode', inode, 'head', head, 'tail', tail, 'position', position, 'stamp', '')) END;
ALTER TABLE analytics.followed_file
  ALTER COLUMN files SET NOT NULL,
  DROP COLUMN inode, DROP COLUMN head, DROP COLUMN tail, DROP COLUMN position, DROP COLUMN previous;
