-- The filters of a segment at the time when a link to a page was limited to it. They apply to whatever the link asks.
CREATE TABLE analytics.link_filters (
  key_uuid uuid PRIMARY KEY,
  name     text NOT NULL,
  filters  jsonb NOT NULL
);
