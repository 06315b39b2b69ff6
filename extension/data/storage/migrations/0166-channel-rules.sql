-- The rules by which views of a site get their channel, as in its sites file. A site without a row has the shipped ones.
CREATE TABLE analytics.channel_rules (
  site_id smallint PRIMARY KEY REFERENCES analytics.site ON DELETE CASCADE,
  rules   jsonb NOT NULL
);
