-- What an application password may do of what its owner may. Those from before keep it: one without restrictions could
-- import only where that was allowed, and a restricted one only read, or read and import.
ALTER TABLE host.application_passwords
  ADD COLUMN level text CHECK (level IN ('read', 'import', 'manage', 'all'));
UPDATE host.application_passwords SET level =
  CASE
    WHEN num_nonnulls(expires_at, sites, address_ranges, rate_share) = 0
      THEN CASE WHEN 'import' = ANY (allows) THEN 'all' ELSE 'manage' END
    ELSE CASE WHEN 'import' = ANY (allows) THEN 'import' ELSE 'read' END
  END;
ALTER TABLE host.application_passwords
  ALTER COLUMN level SET NOT NULL,
  DROP CONSTRAINT links_end,
  DROP COLUMN allows,
  ADD CONSTRAINT links_end CHECK (opens IS NULL OR (expires_at IS NOT NULL AND cardinality(sites) = 1 AND level = 'read')),
  ADD CONSTRAINT restricted_level CHECK (
    level IN ('read', 'import') OR num_nonnulls(expires_at, sites, address_ranges, rate_share) = 0);
