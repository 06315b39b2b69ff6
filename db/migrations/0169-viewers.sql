-- A role for people who only look at dashboards.
ALTER TABLE host.users DROP CONSTRAINT users_role_check;
ALTER TABLE host.users ADD CONSTRAINT users_role_check CHECK (role IN ('administrator', 'analyst', 'viewer'));
