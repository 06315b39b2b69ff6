// Owns the tables of the host, schema `host`: users, what they may see, application passwords. Frozen once landed.
import type { Knex } from 'knex';

const UP = `
CREATE SCHEMA host;

CREATE TABLE host.users (
  user_id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  login         text NOT NULL CHECK (login ~ '^[A-Za-z0-9_.@-]{1,60}$'),
  email         text,
  display_name  text NOT NULL,
  role          text NOT NULL CHECK (role IN ('administrator', 'analyst')),
  password_hash text NOT NULL,
  disabled      boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX users_login ON host.users (lower(login));
CREATE UNIQUE INDEX users_email ON host.users (lower(email)) WHERE email IS NOT NULL;

-- The sites that an analyst may see, by tracking id: the host knows sites by name only.
CREATE TABLE host.user_sites (
  user_id     integer NOT NULL REFERENCES host.users ON DELETE CASCADE,
  tracking_id text NOT NULL,
  PRIMARY KEY (user_id, tracking_id)
);

CREATE TABLE host.application_passwords (
  uuid         uuid PRIMARY KEY,
  user_id      integer NOT NULL REFERENCES host.users ON DELETE CASCADE,
  app_id       text NOT NULL DEFAULT '',
  name         text NOT NULL CHECK (name <> ''),
  secret_hash  text NOT NULL,
  created_at   timestamptz NOT NULL,
  last_used_at timestamptz,
  last_ip      text
);
CREATE INDEX application_passwords_user ON host.application_passwords (user_id, created_at);
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP SCHEMA host CASCADE');
}
