// Compares the views of two databases: facts and derived values.
import type { Knex } from 'knex';

/** Dimension ids depend on the order in which their values arrive, so the values themselves are compared. */
const VIEWS = `
SELECT v.pv_id, v.at, p.url, v.pv, v.is_last, v.is_newuser, b.url AS before, n.url AS after,
       CASE WHEN v.reader_id < 4000000000000000 THEN v.reader_id ELSE min(v.pv_id) OVER (PARTITION BY v.site_id, v.reader_id) END AS visitor,
       v.session_id AS session, count(*) OVER (PARTITION BY v.site_id, v.session_id) AS views, v.browse_sec, s.source_domain, s.referrer, s.utm_source, s.utm_term,
       m.utm_medium, c.utm_campaign, t.utm_content, o.os, w.browser, l.language, k.country_code, v.device_id, v.version_id,
       v.speed_msec, v.depth_position, v.stop_max_pos, v.exit_pos, v.stop_max_sec, v.deep_read, v.is_submit, v.irritation_click_count,
       v.dead_click_image_count, v.scroll_back_count, v.content_skip_count, v.exploration_count, v.window_inner_width,
       p.title, p.title_at, p.page_type, r.original_id, x.goals
  FROM analytics.page_view v
  JOIN analytics.page p USING (site_id, page_id)
  LEFT JOIN analytics.page b ON b.site_id = v.site_id AND b.page_id = v.prev_page_id
  LEFT JOIN analytics.page n ON n.site_id = v.site_id AND n.page_id = v.next_page_id
  LEFT JOIN analytics.source s ON s.site_id = v.site_id AND s.source_id = v.source_id
  LEFT JOIN analytics.medium m ON m.site_id = v.site_id AND m.medium_id = v.medium_id
  LEFT JOIN analytics.campaign c ON c.site_id = v.site_id AND c.campaign_id = v.campaign_id
  LEFT JOIN analytics.content t ON t.site_id = v.site_id AND t.content_id = v.content_id
  LEFT JOIN analytics.os o USING (os_id)
  LEFT JOIN analytics.browser w USING (browser_id)
  LEFT JOIN analytics.language l USING (language_id)
  LEFT JOIN analytics.country k USING (country_id)
  LEFT JOIN analytics.reader r ON r.site_id = v.site_id AND r.reader_id = v.reader_id
  LEFT JOIN LATERAL (SELECT array_agg(goal_no ORDER BY goal_no) AS goals FROM analytics.conversion x
                      WHERE x.site_id = v.site_id AND x.pv_id = v.pv_id AND x.session_id = v.session_id AND x.at = v.at) x ON true
 ORDER BY v.site_id, `;

/** The number of views, and a digest of all of them. If the files contain no ids, generated ids are left out. */
export async function digestOf(write: Knex, hasIds: boolean): Promise<{ rows: number; digest: string }> {
  const { rows }: { rows: Record<string, unknown>[] } = await write.raw(
    `SELECT count(*)::int AS rows, md5(string_agg(md5((to_jsonb(f)${hasIds ? '' : " - 'pv_id' - 'session'"})::text), '' ORDER BY place)) AS digest
       FROM (SELECT *, row_number() OVER () AS place FROM (${VIEWS}${hasIds ? 'v.pv_id' : 'v.at, p.url, v.reader_id'}) q) f`,
  );
  return { rows: Number(rows[0]?.rows), digest: String(rows[0]?.digest) };
}

/** The first views that differ, in readable form. */
export async function differencesOf(one: Knex, other: Knex, hasIds: boolean): Promise<readonly string[]> {
  const read = async (write: Knex): Promise<readonly string[]> => {
    const { rows }: { rows: { text: string }[] } = await write.raw(
      `SELECT (to_jsonb(f)${hasIds ? '' : " - 'pv_id' - 'session'"})::text AS text FROM (${VIEWS}${hasIds ? 'v.pv_id' : 'v.at, p.url, v.reader_id'}) f`,
    );
    return rows.map(({ text }) => text);
  };
  const [a, b] = [await read(one), await read(other)];
  const wrong: string[] = [];
  for (let place = 0; place < Math.max(a.length, b.length) && wrong.length < 6; place += 1)
    if (a[place] !== b[place]) wrong.push(`${a[place]}\n  ${b[place]}`);
  return wrong;
}
