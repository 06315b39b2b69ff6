-- How far the growing files of `qal import --follow` are imported. Written in the transaction of the import.
CREATE TABLE analytics.followed_file (
  site_id  smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  material text NOT NULL,
  path     text NOT NULL,
  inode    numeric NOT NULL,
  -- The hash of its first line: an inode is used again.
  head     text NOT NULL,
  -- Bytes that are imported.
  position bigint NOT NULL,
  PRIMARY KEY (site_id, material, path)
);
