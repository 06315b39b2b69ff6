-- The parts of the addresses of pages and referrers, computed once per text. Under the collation "C", regular expressions see plain ASCII classes.
ALTER TABLE analytics.page
  ADD COLUMN url_host text GENERATED ALWAYS AS (
    nullif(substring(url COLLATE "C" from '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#@]*)'), '')) STORED,
  ADD COLUMN url_path text NOT NULL GENERATED ALWAYS AS (
    coalesce(nullif(substring(regexp_replace(url COLLATE "C", '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*', '') from '^[^?#]*'), ''), '/')) STORED,
  ADD COLUMN url_folder text NOT NULL GENERATED ALWAYS AS (
    coalesce(substring(regexp_replace(url COLLATE "C", '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*', '') from '^/[^/?#]*/'), '/')) STORED,
  ADD COLUMN url_query text GENERATED ALWAYS AS (
    nullif(substring(url COLLATE "C" from '^[^?#]*[?]([^#]*)'), '')) STORED;
ALTER TABLE analytics.source
  ADD COLUMN referrer_host text GENERATED ALWAYS AS (
    nullif(substring(referrer COLLATE "C" from '^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#@]*)'), '')) STORED;
