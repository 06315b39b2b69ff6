-- When a test was last sent to a recipient, who must not be flooded: a report may be deleted and added again.
CREATE TABLE analytics.report_test (
  -- In lower case.
  recipient text PRIMARY KEY,
  sent_at   timestamptz NOT NULL
);
ALTER TABLE analytics.report DROP COLUMN tried_at;
