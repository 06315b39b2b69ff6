-- How much is stored, as measured once a day: rows and bytes of each dataset by site and month, and bytes of each site by day.
CREATE TABLE analytics.stored_month (
  site_id   smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  material  text NOT NULL,
  month     date NOT NULL,
  row_count bigint NOT NULL,
  bytes     bigint NOT NULL,
  PRIMARY KEY (site_id, material, month)
);
CREATE TABLE analytics.stored_day (
  site_id smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  day     date NOT NULL,
  bytes   bigint NOT NULL,
  PRIMARY KEY (site_id, day)
);
