-- What the page of a link limits it to, as that page reads it. It is part of the key, so no call with the key is without it.
ALTER TABLE host.application_passwords
  ADD COLUMN link_limit jsonb,
  ADD CONSTRAINT links_have_limits CHECK (link_limit IS NULL OR opens IS NOT NULL);
