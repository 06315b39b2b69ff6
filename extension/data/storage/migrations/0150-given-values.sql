-- What a file gave for a view has its own columns, so that a derived value is recognised without the mask `generated`. Whether an
-- id was generated follows from its range: generated ones are above 4,000,000,000,000,000.
DROP VIEW analytics.conversion_view;
ALTER TABLE analytics.page_view
  -- Null where the file did not give the value.
  ADD COLUMN given_pv           integer,
  ADD COLUMN given_is_last      boolean,
  ADD COLUMN given_prev_page_id integer,
  ADD COLUMN given_next_page_id integer,
  ADD COLUMN given_is_newuser   boolean,
  -- The file says where the visit came from. Null: the visit has the traffic of its first view, which is in view_source_id and the others.
  ADD COLUMN is_visit_traffic   boolean,
  -- browse_sec is the time until the next view of the visit. Null: the file gave it, or it is not known.
  ADD COLUMN is_browse_derived  boolean,
  -- What named the visitor: 1 a number or text as id, 3 original_id, 5 the visit, 6 nothing.
  ADD COLUMN named_by           smallint;

-- A change of type writes the table once, in its order. An UPDATE would write it a second time and report every day as changed.
ALTER TABLE analytics.page_view
  ALTER COLUMN given_pv           TYPE integer USING CASE WHEN generated & 8 = 0 THEN pv END,
  ALTER COLUMN given_is_last      TYPE boolean USING CASE WHEN generated & 16 = 0 THEN is_last END,
  ALTER COLUMN given_prev_page_id TYPE integer USING CASE WHEN generated & 32 = 0 THEN prev_page_id END,
  ALTER COLUMN given_next_page_id TYPE integer USING CASE WHEN generated & 64 = 0 THEN next_page_id END,
  ALTER COLUMN given_is_newuser   TYPE boolean USING CASE WHEN generated & 128 = 0 THEN is_newuser END,
  ALTER COLUMN is_visit_traffic   TYPE boolean USING CASE WHEN generated & 512 = 0 THEN true END,
  ALTER COLUMN is_browse_derived  TYPE boolean USING CASE WHEN generated & 1024 <> 0 THEN true END,
  ALTER COLUMN named_by           TYPE smallint USING
    CASE WHEN generated & 256 <> 0 THEN 6 WHEN reader_id > 5000000000000000 THEN 5 WHEN reader_id > 4000000000000000 THEN 3 ELSE 1 END,
  ALTER COLUMN named_by SET NOT NULL;
ALTER TABLE analytics.page_view DROP COLUMN generated;

CREATE VIEW analytics.conversion_view AS
SELECT
  conversion.at, page_view.page_id, page_view.site_id, page_view.device_id, page_view.session_id,
  page_view.reader_id, page_view.pv, page_view.irritation_click_count, page_view.is_last, page_view.is_newuser,
  page_view.deep_read, page_view.is_submit, page_view.prev_page_id, page_view.next_page_id, page_view.pv_id,
  page_view.source_id, page_view.country_id, page_view.medium_id, page_view.campaign_id, page_view.os_id,
  page_view.browser_id, page_view.language_id, page_view.browse_sec, page_view.speed_msec, page_view.content_id,
  page_view.version_id, page_view.depth_position, page_view.stop_max_pos, page_view.exit_pos,
  page_view.stop_max_sec, page_view.dead_click_image_count, page_view.scroll_back_count,
  page_view.content_skip_count, page_view.exploration_count, page_view.window_inner_width,
  page_view.window_inner_height, page_view.fingerprint, conversion.goal_no
FROM analytics.conversion JOIN analytics.page_view USING (site_id, pv_id, session_id, at);

-- Earlier values that an undo restores. Only those of columns that the import gave were recorded, but always the mask and reader_id.
UPDATE analytics.import_replaced r
   SET old = r.old - 'generated'
     || CASE WHEN r.old ? 'pv' THEN jsonb_build_object('given_pv', CASE WHEN m.mask & 8 = 0 THEN r.old -> 'pv' END) ELSE '{}' END
     || CASE WHEN r.old ? 'is_last' THEN jsonb_build_object('given_is_last', CASE WHEN m.mask & 16 = 0 THEN r.old -> 'is_last' END) ELSE '{}' END
     || CASE WHEN r.old ? 'prev_page_id'
             THEN jsonb_build_object('given_prev_page_id', CASE WHEN m.mask & 32 = 0 THEN r.old -> 'prev_page_id' END) ELSE '{}' END
     || CASE WHEN r.old ? 'next_page_id'
             THEN jsonb_build_object('given_next_page_id', CASE WHEN m.mask & 64 = 0 THEN r.old -> 'next_page_id' END) ELSE '{}' END
     || CASE WHEN r.old ? 'is_newuser'
             THEN jsonb_build_object('given_is_newuser', CASE WHEN m.mask & 128 = 0 THEN r.old -> 'is_newuser' END) ELSE '{}' END
     || jsonb_build_object(
          'is_visit_traffic', CASE WHEN m.mask & 512 = 0 THEN true END,
          'is_browse_derived', CASE WHEN m.mask & 1024 <> 0 THEN true END,
          'named_by', CASE WHEN m.mask & 256 <> 0 THEN 6 WHEN m.reader_id > 5000000000000000 THEN 5
                           WHEN m.reader_id > 4000000000000000 THEN 3 ELSE 1 END)
  FROM (SELECT import_id, row_id, (old ->> 'generated')::integer AS mask, (old ->> 'reader_id')::bigint AS reader_id
          FROM analytics.import_replaced WHERE table_name = 'page_view' AND old ? 'generated') m
 WHERE r.table_name = 'page_view' AND r.import_id = m.import_id AND r.row_id = m.row_id;
