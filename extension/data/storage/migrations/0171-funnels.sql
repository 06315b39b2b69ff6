-- Funnels of a site, which everyone who sees the site can open.
CREATE TABLE analytics.funnel (
  funnel_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id   smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  name      text NOT NULL,
  steps     jsonb NOT NULL
);
CREATE UNIQUE INDEX funnel_name ON analytics.funnel (site_id, lower(name));
