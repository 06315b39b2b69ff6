-- settle: moves clicks and events to their view's visit. $1: site.
UPDATE analytics.click c SET session_id = d.session_id FROM derived d
 WHERE c.site_id = (SELECT $1::smallint) AND c.pv_id = ANY (ARRAY(SELECT pv_id FROM derived WHERE NOT is_staged))
   AND c.pv_id = d.pv_id AND NOT d.is_staged AND c.session_id <> d.session_id;

UPDATE analytics.event c SET session_id = d.session_id FROM derived d
 WHERE c.site_id = (SELECT $1::smallint) AND c.pv_id = ANY (ARRAY(SELECT pv_id FROM derived WHERE NOT is_staged))
   AND c.pv_id = d.pv_id AND NOT d.is_staged AND c.session_id <> d.session_id;
