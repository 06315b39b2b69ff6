-- apply: removed rows. $1 site.
DELETE FROM analytics.page_view v USING staged s WHERE v.site_id = $1 AND v.pv_id = s.pv_id AND s.status = 5;
