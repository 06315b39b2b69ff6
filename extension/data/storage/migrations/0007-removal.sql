-- Visits that ended so many local days ago are removed by the server; null = never.
ALTER TABLE analytics.site ADD COLUMN retention_days integer CHECK (retention_days BETWEEN 1 AND 36500);

-- Who removed what, when, how many rows. The site may be gone: there is no foreign key. Of a visitor nothing is kept.
CREATE TABLE analytics.removal (
  removal_id  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  removed_at  timestamptz NOT NULL,
  -- The login of the person; local for a command, server for the retention of a site.
  login       text NOT NULL,
  kind        text NOT NULL CHECK (kind IN ('site', 'days', 'visitor', 'retention')),
  tracking_id text NOT NULL,
  -- Local days of the site, both included; null where all days are meant.
  first_day   date,
  last_day    date,
  -- null = all.
  material    text,
  -- Material -> rows.
  removed     jsonb NOT NULL
);
