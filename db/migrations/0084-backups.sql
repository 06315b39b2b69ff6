-- When `qal backup` wrote this database into a file.
CREATE TABLE host.backup (
  made_at timestamptz PRIMARY KEY,
  bytes   bigint NOT NULL
);
