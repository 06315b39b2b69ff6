-- The last run of each background job of all servers. ended_at is null while it runs, or if its server was killed.
CREATE TABLE host.job (
  name         text PRIMARY KEY,
  begun_at     timestamptz NOT NULL,
  ended_at     timestamptz,
  succeeded_at timestamptz,
  -- Of the last run; null if it succeeded.
  fault        text
);
