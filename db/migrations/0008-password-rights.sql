-- What an application password may do that its owner may, and others of that owner may not.
ALTER TABLE host.application_passwords
  ADD COLUMN allows text[] NOT NULL DEFAULT '{}' CHECK (allows <@ ARRAY['import']);
