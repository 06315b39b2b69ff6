-- Reports that accounts have sent by mail or webhook, one for each recipient.
CREATE TABLE analytics.report (
  report_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id   smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  user_id   integer NOT NULL,
  login     text NOT NULL,
  frequency text NOT NULL CHECK (frequency IN ('weekly', 'monthly')),
  -- A mail address, or the address of a webhook.
  recipient text NOT NULL,
  -- Of this program, as its owner opened it: for links in mail.
  home      text NOT NULL,
  -- In the link that ends the report.
  token     text NOT NULL UNIQUE,
  -- The first day of the newest period that is done: sent, or given up on.
  covered   date NOT NULL,
  -- When to send the next one. A server that begins to send moves it to the next attempt, so that no other server sends it too.
  next_at   timestamptz NOT NULL,
  -- Failed attempts in a row.
  attempts  integer NOT NULL DEFAULT 0,
  -- The last attempt, also of a test.
  tried_at  timestamptz,
  sent_at   timestamptz,
  -- Of the last attempt; null if it succeeded.
  fault     text
);
CREATE UNIQUE INDEX report_recipient ON analytics.report (site_id, user_id, frequency, lower(recipient));
