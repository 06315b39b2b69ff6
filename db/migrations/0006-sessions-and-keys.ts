// Owns what the pages of the host need: sessions, keys that can do less than their owner, states of extensions. Frozen once landed.
import type { Knex } from 'knex';

const UP = `
-- What a person chose: { timezone }.
ALTER TABLE host.users ADD COLUMN meta jsonb NOT NULL DEFAULT '{}';

-- null = no restriction: the key can do what its owner can.
ALTER TABLE host.application_passwords
  ADD COLUMN expires_at     timestamptz,
  ADD COLUMN sites          text[] CHECK (cardinality(sites) > 0),
  -- CIDR notation, checked by the program.
  ADD COLUMN address_ranges text[] CHECK (cardinality(address_ranges) > 0),
  -- Per cent of its owner's calls.
  ADD COLUMN rate_share     smallint CHECK (rate_share BETWEEN 1 AND 99);

-- session_key = SHA-256 of the id in the cookie: whoever reads this table cannot enter with it.
CREATE TABLE host.session (
  session_key text PRIMARY KEY,
  user_id     integer NOT NULL REFERENCES host.users ON DELETE CASCADE,
  data        jsonb NOT NULL,
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX session_of_user ON host.session (user_id);
CREATE INDEX session_expiry ON host.session (expires_at);

CREATE TABLE host.extension (
  name       text PRIMARY KEY,
  state      text NOT NULL CHECK (state IN ('active', 'inactive', 'uninstalled')),
  version    text NOT NULL,
  changed_at timestamptz NOT NULL
);

-- Random keys that this installation signs with.
CREATE TABLE host.secret (
  name  text PRIMARY KEY,
  value text NOT NULL
);
`;

const DOWN = `
DROP TABLE host.secret, host.extension, host.session;
ALTER TABLE host.application_passwords
  DROP COLUMN expires_at, DROP COLUMN sites, DROP COLUMN address_ranges, DROP COLUMN rate_share;
ALTER TABLE host.users DROP COLUMN meta;
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}
