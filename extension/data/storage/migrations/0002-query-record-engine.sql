-- What answered a query, and why that: a sentence. Both are null for an error.
ALTER TABLE analytics.query_record
  ADD COLUMN engine        text CHECK (engine IN ('rows', 'columns', 'cache')),
  ADD COLUMN engine_reason text;
