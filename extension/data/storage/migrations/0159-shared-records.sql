-- The files of one command, and the pieces of a followed log, share a record, which several transactions complete. `partial`: some of
-- its files are stored. `following`: more pieces may come.
ALTER TABLE analytics.import_run DROP CONSTRAINT import_run_status_check;
ALTER TABLE analytics.import_run ADD CONSTRAINT import_run_status_check
  CHECK (status IN ('running', 'done', 'failed', 'undone', 'partial', 'following'));
-- The site's version after its newest transaction. Only while it is still the site's version can another one be added.
ALTER TABLE analytics.import_run ADD COLUMN version uuid;

-- Empty if the import has one file.
ALTER TABLE analytics.import_rejection ADD COLUMN file text NOT NULL DEFAULT '';
ALTER TABLE analytics.import_rejection DROP CONSTRAINT import_rejection_pkey;
ALTER TABLE analytics.import_rejection ADD PRIMARY KEY (import_id, file, line);
