-- A time-based one-time password (TOTP) that a login needs besides the password. used_step is the last 30 seconds of which a code was
-- accepted: it is accepted once.
CREATE TABLE host.second_factor (
  user_id    integer PRIMARY KEY REFERENCES host.users ON DELETE CASCADE,
  secret     text NOT NULL,
  used_step  bigint NOT NULL,
  created_at timestamptz NOT NULL
);
-- Each replaces one code of the app, and is deleted when it is used.
CREATE TABLE host.recovery_code (
  user_id   integer REFERENCES host.second_factor ON DELETE CASCADE,
  code_hash text,
  PRIMARY KEY (user_id, code_hash)
);
