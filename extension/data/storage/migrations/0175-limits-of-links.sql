-- The filters of a limited link are part of its key.
UPDATE host.application_passwords p
SET link_limit = jsonb_build_object('name', f.name, 'filters', f.filters)
FROM analytics.link_filters f
WHERE p.uuid = f.key_uuid AND p.opens IS NOT NULL;
DROP TABLE analytics.link_filters;
