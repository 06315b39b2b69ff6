-- What was last reported about each health check, for all servers.
CREATE TABLE host.alarm (
  cause      text PRIMARY KEY,
  told       text NOT NULL,
  alarmed_at timestamptz NOT NULL
);
