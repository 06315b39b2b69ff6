// Owns the loading of the demo site: makes the site with its goals, generates its data, imports it as files would be.
// Database and clock in -> site `demo` with its data. The same rows twice add nothing.
import type { Knex } from 'knex';
import { loadManifest } from '../../manifests/reader/manifest';
import { ImportError } from '../import/import-error';
import type { ImportReport } from '../import/import-file';
import { importRows } from '../import/import-rows';
import { applySites } from '../storage/sites/apply-sites';
import { CART_BUTTON, type DemoActions, demoActions } from './demo-actions';
import { demoMonths, demoSearches } from './demo-figures';
import { DEMO_ORIGIN, DEMO_PATHS } from './demo-pages';
import { demoVersions } from './demo-versions';
import { DEMO_TIMEZONE, type DemoView, demoViews } from './demo-views';

export const DEMO_SITE = 'demo';
/** By its domain the demo's own site is told apart from a site of somebody else that bears its name. */
export const DEMO_DOMAIN = 'demo.example';
export const DEMO_VIEWS = 200_000;
const DEMO_SEED = 20_261_120;
/** How imports of the demo are recorded, with the number of views that was asked for. */
const SOURCE = 'demo';
const VIEWS_MATERIAL = 'allpv';
const MATERIALS: readonly string[] = [
  VIEWS_MATERIAL,
  'click_event',
  'datalayer_event',
  'page_version',
  'gsc',
  'ga4_age_gender',
  'ga4_country',
  'ga4_region',
];

const GOALS = [
  {
    id: 1,
    name: 'Order',
    type: 'gtype_page',
    condition: { url: DEMO_ORIGIN + DEMO_PATHS.thanks, match: 'exact' },
  },
  {
    id: 2,
    name: 'Message sent',
    type: 'gtype_page',
    condition: { url: DEMO_ORIGIN + DEMO_PATHS.contactThanks, match: 'exact' },
  },
  { id: 3, name: 'Put into the cart', type: 'gtype_click', condition: { selector: CART_BUTTON } },
] as const;

export interface DemoLoadOptions {
  /** The demo ends here. */
  readonly now: Date;
  readonly views?: number;
  onProgress(done: number, total: number): void;
}

/** Whether the demo site has all its data. */
export async function hasDemo(write: Knex): Promise<boolean> {
  const done = await finishedParts(write);
  return MATERIALS.every((material) => done.has(material));
}

/**
 * Makes the demo site and loads its data; undefined when it has its page views already. A load that was killed is
 * finished as it was begun. Refuses a site that is not the demo's.
 */
export async function loadDemo(write: Knex, options: DemoLoadOptions): Promise<ImportReport | undefined> {
  const done = await finishedParts(write);
  if (MATERIALS.every((material) => done.has(material))) return undefined;
  await makeSite(write);
  const begun = done.get(VIEWS_MATERIAL);
  const now = begun?.now ?? options.now;
  const views = begun?.views ?? options.views ?? DEMO_VIEWS;
  const manifest = loadManifest();
  const load = async (material: string, rows: Iterable<object>): Promise<ImportReport | undefined> => {
    if (done.has(material)) return undefined;
    return importRows(write, manifest, {
      material,
      site: DEMO_SITE,
      source: `${SOURCE} ${views}`,
      rows,
      clock: () => now,
      onProgress: ({ read }) => {
        if (material === VIEWS_MATERIAL) options.onProgress(Math.min(read, views), views);
      },
    });
  };
  options.onProgress(0, views);
  const actions = demoActions(DEMO_SEED + 1, Math.floor(now.getTime() / 1000));
  const rows = noted(demoViews({ now, views, seed: DEMO_SEED }), actions);
  const report = await load(VIEWS_MATERIAL, rows);
  // The views are there since an earlier start: only what happened on them is wanted.
  for (const _view of rows);
  options.onProgress(views, views);
  await load('click_event', actions.clicks);
  await load('datalayer_event', actions.events);
  await load('page_version', demoVersions(Math.floor(now.getTime() / 1000)).rows);
  await load('gsc', demoSearches(now, DEMO_SEED + 2));
  for (const [material, months] of Object.entries(demoMonths(now, DEMO_SEED + 3)))
    await load(material, months);
  return report;
}

function* noted(views: Iterable<DemoView>, actions: DemoActions): Generator<DemoView> {
  for (const view of views) {
    actions.note(view);
    yield view;
  }
}

interface FinishedPart {
  readonly now: Date;
  readonly views: number;
}

/** The materials that the demo has loaded, each with the clock and the size of that load. */
async function finishedParts(write: Knex): Promise<ReadonlyMap<string, FinishedPart>> {
  const answer: { rows: { material: string; source: string; now: Date }[] } = await write.raw(
    `SELECT r.material, r.source, r.started_at AS now FROM analytics.import_run r JOIN analytics.site s USING (site_id)
      WHERE s.tracking_id = ? AND r.source ~ ? ORDER BY r.import_id`,
    [DEMO_SITE, `^${SOURCE}( \\d+)?$`],
  );
  return new Map(
    answer.rows.map(({ material, source, now }) => [
      material,
      { now, views: Number(source.slice(SOURCE.length)) || DEMO_VIEWS },
    ]),
  );
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
        goals: GOALS,
        ...(sites.some((site) => site.is_default) ? {} : { default: true }),
      },
    ],
  });
}
