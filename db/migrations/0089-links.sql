-- Links to a page for people without an account: keys that open this page and nothing else. NULL is an application password.
ALTER TABLE host.application_passwords
  ADD COLUMN opens text CHECK (opens ~ '^[a-z0-9-]{1,64}$'),
  ADD CONSTRAINT links_end CHECK (opens IS NULL OR (expires_at IS NOT NULL AND cardinality(sites) = 1 AND allows = '{}'));
