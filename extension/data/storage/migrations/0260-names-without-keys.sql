-- A foreign key is checked row by row, which took longer than storing the name of a visitor. Every import locks its site and stores pages,
-- whose key remains, and removing a site deletes its rows from all tables.
ALTER TABLE analytics.reader DROP CONSTRAINT reader_site_id_fkey;
ALTER TABLE analytics.reader_state DROP CONSTRAINT reader_state_site_id_fkey;
ALTER TABLE analytics.given_id DROP CONSTRAINT given_id_site_id_fkey;
