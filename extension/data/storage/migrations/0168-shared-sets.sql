-- Later imports that gave exactly the rows of this set, such as those of an unchanged file.
ALTER TABLE analytics.import_record ADD COLUMN shared_by integer[]
  CHECK (shared_by IS NULL OR ids IS NOT NULL AND cardinality(shared_by) > 0);
