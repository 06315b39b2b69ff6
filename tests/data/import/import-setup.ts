// Helpers for the importer's tests: a separate site in a test database, and the stored views in readable form.
import type { Knex } from 'knex';
import type { ImportLimits } from '../../../extension/data/import/limits';
import { loadManifest } from '../../../manifests/reader/manifest';

export const manifest = loadManifest();

/** Limits so small that a dozen rows fill batches and evict strings from the dimension caches. */
export const TINY: ImportLimits = {
  pageStateRows: 3,
  batchRows: 5,
  pieceRows: 8,
  batchCharacters: 120,
  dimensionEntries: 4,
  dimensionCharacters: 200,
  fileRows: 6,
  rowHashes: 50,
  unpackedBytes: Number.POSITIVE_INFINITY,
  rejectedRows: Number.POSITIVE_INFINITY,
};

/** The start time of the rows, in epoch seconds. */
export const AT = 1_770_000_000;

/** A view of page number `index`, `index` seconds after AT. */
export const row = (index: number, more: object = {}) => ({
  url: `https://example.com/${index}`,
  access_time: AT + index,
  ...more,
});

let sites = 0;

/** A new empty site. */
export async function newSite(write: Knex, domain = 'example.com'): Promise<string> {
  sites += 1;
  const site = `site-${sites}`;
  await write.raw(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES (?, ?, 'Test', 'UTC')`,
    [site, domain],
  );
  await write.raw(
    'INSERT INTO analytics.site_version (site_id) SELECT site_id FROM analytics.site WHERE tracking_id = ? ON CONFLICT DO NOTHING',
    [site],
  );
  return site;
}

/** The data version of a site, which increases with every import that changes something. */
export async function dataVersion(write: Knex, site: string): Promise<number> {
  const answer: { rows: { version: number }[] } = await write.raw(
    'SELECT data_version::int AS version FROM analytics.site JOIN analytics.site_version USING (site_id) WHERE tracking_id = ?',
    [site],
  );
  return answer.rows[0]?.version ?? -1;
}

/** The number of stored views of a site. Planning this takes less time than planning `storedViews`. */
export async function countViews(write: Knex, site: string): Promise<number> {
  const answer: { rows: { views: number }[] } = await write.raw(
    'SELECT count(*)::int AS views FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ?',
    [site],
  );
  return answer.rows[0]?.views ?? 0;
}

export interface StoredView {
  readonly url: string;
  readonly title: string | null;
  readonly at: number;
  readonly pv_id: number;
  readonly session_id: number;
  readonly reader_id: number;
  readonly pv: number;
  readonly is_last: boolean;
  readonly is_newuser: boolean;
  readonly prev_url: string | null;
  readonly next_url: string | null;
  readonly source_domain: string | null;
  readonly referrer: string | null;
  readonly utm_source: string | null;
  readonly utm_term: string | null;
  readonly click_id_name: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly os: string | null;
  readonly browser: string | null;
  readonly country_code: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly device_type: string | null;
  readonly original_id: string | null;
  readonly browse_sec: number | null;
  readonly deep_read: boolean;
  readonly irritation_click_count: number;
}

/** The stored views of a site, ordered by URL. */
export async function storedViews(write: Knex, site: string): Promise<readonly StoredView[]> {
  const answer: { rows: StoredView[] } = await write.raw(
    `SELECT p.url, p.title, extract(epoch FROM v.at)::float8 AS at, v.pv_id::float8 AS pv_id,
            v.session_id::float8 AS session_id, v.reader_id::float8 AS reader_id, v.pv, v.is_last, v.is_newuser,
            b.url AS prev_url, n.url AS next_url, s.source_domain, s.referrer, s.utm_source, s.utm_term, s.click_id_name,
            m.utm_medium, c.utm_campaign, o.os, w.browser, k.country_code, l.region, l.city, d.device_type, r.original_id,
            v.browse_sec, v.deep_read, v.irritation_click_count
       FROM analytics.site t
       JOIN analytics.page_view v USING (site_id)
       JOIN analytics.page p USING (site_id, page_id)
       LEFT JOIN analytics.device d USING (device_id)
       LEFT JOIN analytics.page b ON b.site_id = v.site_id AND b.page_id = v.prev_page_id
       LEFT JOIN analytics.page n ON n.site_id = v.site_id AND n.page_id = v.next_page_id
       LEFT JOIN analytics.source s ON s.site_id = v.site_id AND s.source_id = v.source_id
       LEFT JOIN analytics.medium m ON m.site_id = v.site_id AND m.medium_id = v.medium_id
       LEFT JOIN analytics.campaign c ON c.site_id = v.site_id AND c.campaign_id = v.campaign_id
       LEFT JOIN analytics.os o USING (os_id)
       LEFT JOIN analytics.browser w USING (browser_id)
       LEFT JOIN analytics.country k USING (country_id)
       LEFT JOIN analytics.location l ON l.site_id = v.site_id AND l.location_id = v.location_id
       LEFT JOIN analytics.reader r ON r.site_id = v.site_id AND r.reader_id = v.reader_id
      WHERE t.tracking_id = ? ORDER BY p.url, v.at, v.pv_id`,
    [site],
  );
  return answer.rows;
}
