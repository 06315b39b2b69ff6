-- Calls and failed logins by window, for all servers of the installation. It holds nothing that a crash must not lose, but is
-- not unlogged: after a crash, PostgreSQL does not start if the creation of such a table was rolled back shortly before.
CREATE TABLE host.window_count (
  name    text NOT NULL,
  seconds integer NOT NULL CHECK (seconds > 0),
  count   integer NOT NULL CHECK (count > 0),
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (name, seconds)
);
