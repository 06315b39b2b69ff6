-- Imports: every one is recorded from its start to its end.
ALTER TABLE analytics.import_run
  -- running until its transaction ends; done, failed; undone
  ADD COLUMN status        text NOT NULL DEFAULT 'done' CHECK (status IN ('running', 'done', 'failed', 'undone')),
  -- The login of the person, or local for a command.
  ADD COLUMN login         text NOT NULL DEFAULT 'local',
  ADD COLUMN through       text NOT NULL DEFAULT 'command' CHECK (through IN ('command', 'http', 'page')),
  ADD COLUMN format        text NOT NULL DEFAULT 'ndjson',
  -- Part of the identity of rows without an id.
  ADD COLUMN source_name   text,
  ADD COLUMN error         text,
  ADD COLUMN bytes_read    bigint NOT NULL DEFAULT 0,
  ADD COLUMN rows_kept     bigint NOT NULL DEFAULT 0,
  -- Why rows were skipped -> how many.
  ADD COLUMN skipped       jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN undone_at     timestamptz,
  ADD COLUMN undone_by     text,
  ALTER COLUMN finished_at DROP NOT NULL;
