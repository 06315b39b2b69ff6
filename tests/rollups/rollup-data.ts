// The data of these tests: sites, and small random rows that come again on other days, in other visits, without values.
import type { Knex } from 'knex';
import { seededRandom } from '../../extension/demo/random';
import { importRows } from '../../extension/import/import-rows';
import type { ImportLimits } from '../../extension/import/limits';
import { applySites } from '../../extension/storage/sites/apply-sites';
import { loadManifest } from '../../manifests/reader/manifest';

export const manifest = loadManifest();

let sites = 0;

/** A site of its own without rows. */
export async function applySite(write: Knex, timezone: string): Promise<string> {
  sites += 1;
  const site = `counted-${String(sites).padStart(3, '0')}`;
  await applyZone(write, site, timezone);
  return site;
}

/** Makes a site, or gives it another zone. */
export async function applyZone(write: Knex, site: string, timezone: string): Promise<void> {
  await applySites(write, {
    sites: [{ tracking_id: site, domain: 'x.example', name: site, timezone, goals: [] }],
  });
}

export interface RandomViews {
  readonly seed: number;
  readonly count: number;
  readonly from: string;
  readonly days: number;
  /** Whether the rows name their visits; without names visits are made of pauses. */
  readonly named?: boolean;
  /** Of the first row. */
  readonly firstId?: number;
}

export interface ViewRow {
  readonly pv_id: number;
  readonly access_time: number;
  readonly [column: string]: unknown;
}

/** Few visitors, visits, pages and values, so that all of them meet again and again. */
export function randomViews({
  seed,
  count,
  from,
  days,
  named = true,
  firstId = 1,
}: RandomViews): readonly ViewRow[] {
  const random = seededRandom(seed);
  const start = Date.parse(from) / 1000;
  const some = <T>(...values: readonly T[]): T | undefined => values[random.between(0, values.length - 1)];
  return Array.from({ length: count }, (_, place) => {
    const session = random.between(1, Math.ceil(count / 5));
    // A visit comes again on other days by chance: its id says nothing of its time.
    const day = random.chance(0.8) ? session % days : random.between(0, days - 1);
    const second = random.chance(0.2) ? (some(0, 1, 86_399) ?? 0) : random.between(0, 86_399);
    return {
      pv_id: firstId + place,
      access_time: start + day * 86_400 + second,
      url: `https://x.example/${random.between(1, 6)}`,
      ...(named ? { session_id: session, is_newuser: some(0, 1) } : {}),
      reader_id: random.between(1, Math.ceil(count / 12)),
      device_type: some('PC', 'tablet', 'SP'),
      utm_source: some('a', 'b', null),
      utm_medium: some('cpc', 'mail', null, null),
      utm_campaign: some('x', null),
      utm_content: some('y', null, null),
      country_code: some('DE', 'JP', null),
      os: some('one', 'two', null),
      browser: some('red', 'blue', null),
      language: some('de', null),
      browse_sec: some(null, 0, 5, 2_000_000_000),
      depth_position: some(null, 0, 40, 100),
      deep_read: some(0, 1),
      is_submit: some(0, 1),
      irritation_click_count: some(0, 0, 3, 7),
    };
  });
}

type Imported = Awaited<ReturnType<typeof importRows>>;

export const importViews = (
  write: Knex,
  site: string,
  rows: readonly object[],
  limits?: ImportLimits,
): Promise<Imported> =>
  importRows(write, manifest, { material: 'allpv', site, rows, ...(limits === undefined ? {} : { limits }) });

/** Imports clicks on some of the views, some of them after midnight. */
export function importClicks(
  write: Knex,
  site: string,
  views: readonly ViewRow[],
  seed: number,
): Promise<Imported> {
  const random = seededRandom(seed);
  const rows = views
    .filter(() => random.chance(0.5))
    .map(({ pv_id }) => ({
      pv_id,
      event_sec: random.chance(0.1) ? random.between(0, 90_000) : random.between(0, 60),
      selector: `#s${random.between(1, 4)}`,
    }));
  return importRows(write, manifest, { material: 'click_event', site, rows });
}
