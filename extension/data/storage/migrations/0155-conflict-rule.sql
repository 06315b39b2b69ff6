-- The conflict rule of the import, which also applies to its rows that wait for their page view.
ALTER TABLE analytics.import_run ADD COLUMN on_conflict text NOT NULL DEFAULT 'replace'
  CHECK (on_conflict IN ('replace', 'keep', 'refuse'));
