-- Queries that people saved in the playground. An account is never removed, only disabled: what it shared stays.
CREATE TABLE analytics.saved_query (
  saved_query_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id        integer NOT NULL,
  login          text NOT NULL,
  name           text NOT NULL,
  -- As it was typed; it need not be valid.
  body           text NOT NULL,
  -- Of the contract.
  version        text NOT NULL,
  shared         boolean NOT NULL,
  -- Counts the changes, so that nobody overwrites one unseen.
  revision       integer NOT NULL DEFAULT 1,
  changed_at     timestamptz NOT NULL
);
CREATE UNIQUE INDEX saved_query_name ON analytics.saved_query (user_id, lower(name));
CREATE INDEX saved_query_shared ON analytics.saved_query (saved_query_id) WHERE shared;
