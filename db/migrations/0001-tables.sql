-- The host: accounts, the sites each may see, application passwords, sessions, and the state of extensions.
CREATE SCHEMA host;

CREATE TABLE host.users (
  user_id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  login         text NOT NULL CHECK (login ~ '^[A-Za-z0-9_.@-]{1,60}$'),
  email         text,
  display_name  text NOT NULL,
  role          text NOT NULL CHECK (role IN ('administrator', 'analyst')),
  password_hash text NOT NULL,
  disabled      boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL,
  -- Preferences: { timezone }.
  meta          jsonb NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX users_login ON host.users (lower(login));
CREATE UNIQUE INDEX users_email ON host.users (lower(email)) WHERE email IS NOT NULL;

-- The sites an analyst may see. The host knows a site only by its id: there is no table of sites to refer to.
CREATE TABLE host.user_sites (
  user_id     integer NOT NULL REFERENCES host.users ON DELETE CASCADE,
  tracking_id text NOT NULL,
  PRIMARY KEY (user_id, tracking_id)
);

-- An application password can do what its owner can, less its restrictions. null = no restriction.
CREATE TABLE host.application_passwords (
  uuid           uuid PRIMARY KEY,
  user_id        integer NOT NULL REFERENCES host.users ON DELETE CASCADE,
  app_id         text NOT NULL DEFAULT '',
  name           text NOT NULL CHECK (name <> ''),
  secret_hash    text NOT NULL,
  created_at     timestamptz NOT NULL,
  last_used_at   timestamptz,
  last_ip        text,
  expires_at     timestamptz,
  sites          text[] CHECK (cardinality(sites) > 0),
  -- In CIDR notation, checked by the program.
  address_ranges text[] CHECK (cardinality(address_ranges) > 0),
  -- Per cent of its owner's rate limit.
  rate_share     smallint CHECK (rate_share BETWEEN 1 AND 99)
);
CREATE INDEX application_passwords_user ON host.application_passwords (user_id, created_at);

-- session_key is the SHA-256 of the id in the cookie, so nobody can log in with what this table holds.
CREATE TABLE host.session (
  session_key text PRIMARY KEY,
  user_id     integer NOT NULL REFERENCES host.users ON DELETE CASCADE,
  data        jsonb NOT NULL,
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX session_of_user ON host.session (user_id);
CREATE INDEX session_expiry ON host.session (expires_at);

-- Random keys this installation signs with.
CREATE TABLE host.secret (
  name  text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE host.extension (
  name       text PRIMARY KEY,
  state      text NOT NULL CHECK (state IN ('active', 'inactive', 'uninstalled')),
  version    text NOT NULL,
  changed_at timestamptz NOT NULL
);
