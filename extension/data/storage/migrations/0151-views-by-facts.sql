-- A view without an id is recognised by its time, page, visitor and source instead of a fingerprint of them.
CREATE TABLE analytics.import_source (
  site_id     smallint NOT NULL REFERENCES analytics.site ON DELETE CASCADE,
  source_no   smallint NOT NULL,
  source_name text NOT NULL,
  PRIMARY KEY (site_id, source_no),
  UNIQUE (site_id, source_name)
);
INSERT INTO analytics.import_source (site_id, source_no, source_name)
SELECT site_id, row_number() OVER (PARTITION BY site_id ORDER BY min(import_id)), source_name
  FROM analytics.import_run WHERE material = 'allpv' AND status <> 'failed' AND source_name IS NOT NULL GROUP BY site_id, source_name;

DROP VIEW analytics.conversion_view;
-- 0: no name.
ALTER TABLE analytics.page_view ADD COLUMN source_no smallint NOT NULL DEFAULT 0;
ALTER TABLE analytics.page_view ALTER COLUMN source_no DROP DEFAULT;

-- The columns that change are not among those that queries read, so no day counts as changed.
ALTER TABLE analytics.page_view DISABLE TRIGGER USER;
-- A fingerprint is the beginning of a SHA-256 over fields: the hash of the field's name in four bytes, and its number as a double.
DO $$
DECLARE
  source record;
  letter text;
  code   integer;
  unit   integer;
  low    bigint;
  high   bigint;
BEGIN
  FOR source IN SELECT * FROM analytics.import_source LOOP
    low := 3735928559;
    high := 1103547991;
    FOREACH letter IN ARRAY string_to_array(source.source_name, NULL) LOOP
      code := ascii(letter);
      FOREACH unit IN ARRAY CASE WHEN code < 65536 THEN ARRAY[code]
                                 ELSE ARRAY[55296 + ((code - 65536) >> 10), 56320 + ((code - 65536) & 1023)] END LOOP
        low := ((low # unit)::numeric * 2654435761) % 4294967296;
        high := ((high # unit)::numeric * 1597334677) % 4294967296;
      END LOOP;
    END LOOP;
    low := (((low # (low >> 16))::numeric * 2246822507) % 4294967296)::bigint
         # (((high # (high >> 13))::numeric * 3266489909) % 4294967296)::bigint;
    UPDATE analytics.page_view v SET source_no = source.source_no
     WHERE v.site_id = source.site_id AND v.pv_id >= 4000000000000001
       AND v.fingerprint = encode(substring(sha256(decode((
             SELECT string_agg(f.name || regexp_replace(encode(float8send(f.value), 'hex'), '(..)(..)(..)(..)(..)(..)(..)(..)', '\8\7\6\5\4\3\2\1'),
                               '' ORDER BY f.place)
               FROM (VALUES (1, '0b90b1a9', ((high & 1048575) * 4294967296 + low)::float8),
                            (2, '88152557', extract(epoch FROM v.at)::float8),
                            (3, '06562012', v.page_id::float8),
                            (4, '264074c5', CASE WHEN v.named_by <> 6 THEN v.reader_id::float8 END)) f (place, name, value)
              WHERE f.value IS NOT NULL), 'hex')) FROM 1 FOR 16), 'hex')::uuid;
  END LOOP;
END $$;

-- Visitors that a file named by a text. Which ones were named by address and user agent was not recorded.
UPDATE analytics.page_view v SET named_by = 2
  FROM analytics.given_id g
 WHERE g.kind = 'reader_id' AND v.site_id = g.site_id AND v.reader_id = g.id AND v.named_by = 1;
ALTER TABLE analytics.page_view ENABLE TRIGGER USER;

DROP INDEX analytics.page_view_at;
DROP INDEX analytics.page_view_page;
DROP INDEX analytics.page_view_reader;
ALTER TABLE analytics.page_view DROP COLUMN fingerprint;
-- A change of type writes the table once, without the fingerprints.
ALTER TABLE analytics.page_view ALTER COLUMN named_by TYPE smallint USING named_by + 0::smallint;
-- Recognises views, and finds the neighbours and the first view of a visitor.
CREATE INDEX page_view_reader ON analytics.page_view (site_id, reader_id, at);
-- Without the time, since equal keys are then stored once.
CREATE INDEX page_view_page ON analytics.page_view (site_id, page_id);
CREATE INDEX page_view_at ON analytics.page_view (site_id, at);

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
  page_view.window_inner_height, conversion.goal_no
FROM analytics.conversion JOIN analytics.page_view USING (site_id, pv_id, session_id, at);
