-- The name of the click id in the landing address, as one more text of a traffic source.
ALTER TABLE analytics.source ADD COLUMN click_id_name text;
-- The key is the beginning of a SHA-256 over the texts as a JSON array. Changing the type instead of updating rows counts no day as changed.
ALTER TABLE analytics.source ALTER COLUMN text_key TYPE uuid USING substr(encode(sha256(convert_to(
  '[' || coalesce(to_json(source_domain)::text, 'null') || ',' || coalesce(to_json(referrer)::text, 'null') || ','
      || coalesce(to_json(utm_source)::text, 'null') || ',' || coalesce(to_json(utm_term)::text, 'null') || ',null]', 'UTF8')), 'hex'), 1, 32)::uuid;
