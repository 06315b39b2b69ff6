-- A forecast is made from rows: the bytes of a site also change when other sites leave space in the tables.
DELETE FROM analytics.stored_day;
ALTER TABLE analytics.stored_day ADD COLUMN row_count bigint NOT NULL;
