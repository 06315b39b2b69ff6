// Owns the loading of the demo site: makes the site, generates its views, imports them as a file would be.
// Database and clock in -> site `demo` with its data. The same rows twice add nothing.
import type { Knex } from 'knex';
import { loadManifest } from '../../manifests/reader/manifest';
import { ImportError } from '../import/import-error';
import type { ImportReport } from '../import/import-file';
import { importRows } from '../import/import-rows';
import { applySites } from '../sites/apply-sites';
import { DEMO_TIMEZONE, demoViews } from './demo-views';

export const DEMO_SITE = 'demo';
/** By its domain the demo's own site is told apart from a site of somebody else that bears its name. */
export const DEMO_DOMAIN = 'demo.example';
export const DEMO_VIEWS = 200_000;
const DEMO_SEED = 20_261_120;

export interface DemoLoadOptions {
  /** The demo ends here. */
  readonly now: Date;
  readonly views?: number;
  onProgress(done: number, total: number): void;
}

/** Whether the demo site has data. */
export async function hasDemo(write: Knex): Promise<boolean> {
  const answer: { rows: unknown[] } = await write.raw(
    `SELECT FROM analytics.page_view v JOIN analytics.site s USING (site_id) WHERE s.tracking_id = ? LIMIT 1`,
    [DEMO_SITE],
  );
  return answer.rows.length > 0;
}

/** Makes the demo site and loads its data; does nothing when it has some, and refuses a site that is not the demo's. */
export async function loadDemo(write: Knex, options: DemoLoadOptions): Promise<ImportReport | undefined> {
  if (await hasDemo(write)) return undefined;
  await makeSite(write);
  const views = options.views ?? DEMO_VIEWS;
  options.onProgress(0, views);
  const report = await importRows(write, loadManifest(), {
    material: 'allpv',
    site: DEMO_SITE,
    source: 'demo',
    rows: demoViews({ now: options.now, views, seed: DEMO_SEED }),
    clock: () => options.now,
    onProgress: ({ read }) => options.onProgress(Math.min(read, views), views),
  });
  options.onProgress(views, views);
  return report;
}

/** A site that is there stays as it is: a start that was killed made it whole, and a choice of its owner since then counts. */
async function makeSite(write: Knex): Promise<void> {
  const sites: readonly {
    readonly tracking_id: string;
    readonly domain: string;
    readonly is_default: boolean;
  }[] = await write('analytics.site').select('tracking_id', 'domain', 'is_default');
  const present = sites.find((site) => site.tracking_id === DEMO_SITE);
  if (present !== undefined) {
    if (present.domain === DEMO_DOMAIN) return;
    throw new ImportError(
      `Site ${DEMO_SITE} is there already and belongs to ${present.domain}; the demo needs this name for itself, so nothing was changed`,
    );
  }
  await applySites(write, {
    sites: [
      {
        tracking_id: DEMO_SITE,
        domain: DEMO_DOMAIN,
        name: 'Demo shop',
        timezone: DEMO_TIMEZONE,
        ...(sites.some((site) => site.is_default) ? {} : { default: true }),
      },
    ],
  });
}
