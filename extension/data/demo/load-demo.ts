// Loads the demo site: a shop with goals and generated data.
import type { Knex } from 'knex';
import { loadManifest } from '../../../manifests/reader/manifest';
import { ImportError } from '../import/import-error';
import type { ImportReport } from '../import/import-options';
import { importRows } from '../import/import-rows';
import { IMPORTABLE } from '../import/loaders';
import { applySites } from '../storage/sites/apply-sites';
import { CART_BUTTON, type DemoActions, demoActions } from './demo-actions';
import { demoMonths, demoSearches } from './demo-figures';
import { DEMO_ORIGIN, DEMO_PATHS } from './demo-pages';
import { demoVersions } from './demo-versions';
import { DEMO_TIMEZONE, type DemoView, demoViews } from './demo-views';

export const DEMO_SITE = 'demo';
/** Distinguishes the demo site from another site with the same name. */
export const DEMO_DOMAIN = 'demo.example';
export const DEMO_VIEWS = 200_000;
const DEMO_SEED = 20_261_120;
/** The source recorded for the demo's imports: this word, followed by the number of views. */
const SOURCE = 'demo';

const GOALS = [
  [1, 'Order', 'gtype_page', { url: DEMO_ORIGIN + DEMO_PATHS.thanks, match: 'exact' }],
  [2, 'Message sent', 'gtype_page', { url: DEMO_ORIGIN + DEMO_PATHS.contactThanks, match: 'exact' }],
  [3, 'Added to cart', 'gtype_click', { selector: CART_BUTTON }],
] as const;

interface DemoLoadOptions {
  /** When the demo's data ends. */
  readonly now: Date;
  readonly views?: number;
  onProgress(done: number, total: number): void;
}

/** Whether the demo site has all its data. */
export const hasDemo = async (write: Knex): Promise<boolean> => isComplete(await finishedParts(write));

/**
 * Creates the demo site and loads its data. Returns undefined if everything is already loaded. Resumes an interrupted load with
 * the same clock and size. Throws an ImportError if a different site has the name.
 */
export async function loadDemo(write: Knex, options: DemoLoadOptions): Promise<ImportReport | undefined> {
  const finished = await finishedParts(write);
  if (isComplete(finished)) return undefined;
  await createSite(write);
  const { now = options.now, views = options.views ?? DEMO_VIEWS } = finished.get('allpv') ?? {};
  const manifest = loadManifest();
  const load = async (material: string, rows: Iterable<object>): Promise<ImportReport | undefined> =>
    finished.has(material)
      ? undefined
      : importRows(write, manifest, {
          material,
          site: DEMO_SITE,
          source: `${SOURCE} ${views}`,
          rows,
          clock: () => now,
          onProgress({ read }) {
            if (material === 'allpv') options.onProgress(Math.min(read, views), views);
          },
        });

  options.onProgress(0, views);
  const { pageViews, others } = demoRows(now, views);
  const report = await load('allpv', pageViews);
  // If the views are already loaded, this generates them only for their actions.
  for (const _view of pageViews);
  options.onProgress(views, views);
  for (const [material, rows] of Object.entries(others)) await load(material, rows);
  return report;
}

/**
 * The rows of all materials. Page views are generated lazily and must be read first, since the other rows are derived from them.
 */
function demoRows(now: Date, views: number) {
  const seconds = Math.floor(now.getTime() / 1000);
  const actions = demoActions(DEMO_SEED + 1, seconds);
  return {
    pageViews: recorded(demoViews({ now, views, seed: DEMO_SEED }), actions),
    others: {
      click_event: actions.clicks,
      datalayer_event: actions.events,
      page_version: demoVersions(seconds).rows,
      gsc: demoSearches(now, DEMO_SEED + 2),
      ...demoMonths(now, DEMO_SEED + 3),
    },
  };
}

function* recorded(views: Iterable<DemoView>, actions: DemoActions): Generator<DemoView> {
  for (const view of views) {
    actions.record(view);
    yield view;
  }
}

interface FinishedPart {
  readonly now: Date;
  readonly views: number;
}

/** The materials that are already loaded, with the clock and size of each load. */
async function finishedParts(write: Knex): Promise<ReadonlyMap<string, FinishedPart>> {
  const answer: { rows: { material: string; source: string; now: Date }[] } = await write.raw(
    `SELECT r.material, r.source, r.started_at AS now FROM analytics.import_run r JOIN analytics.site s USING (site_id)
      WHERE s.tracking_id = ? AND r.source ~ ? AND r.status IN ('done', 'undone') ORDER BY r.import_id`,
    [DEMO_SITE, `^${SOURCE}( \\d+)?$`],
  );
  return new Map(
    answer.rows.map(({ material, source, now }) => [
      material,
      { now, views: Number(source.slice(SOURCE.length)) || DEMO_VIEWS },
    ]),
  );
}

const isComplete = (finished: ReadonlyMap<string, FinishedPart>): boolean =>
  IMPORTABLE.every((material) => finished.has(material));

/** Leaves an existing demo site unchanged, since its owner may have edited it. */
async function createSite(write: Knex): Promise<void> {
  const sites: readonly {
    readonly tracking_id: string;
    readonly domain: string;
    readonly is_default: boolean;
  }[] = await write('analytics.site').select('tracking_id', 'domain', 'is_default');
  const present = sites.find((site) => site.tracking_id === DEMO_SITE);
  if (present?.domain === DEMO_DOMAIN) return;
  if (present !== undefined)
    throw new ImportError(
      `Site ${DEMO_SITE} already exists, with the domain ${present.domain}. The demo needs this name, so nothing was changed`,
    );
  const site = {
    tracking_id: DEMO_SITE,
    domain: DEMO_DOMAIN,
    name: 'Demo shop',
    timezone: DEMO_TIMEZONE,
    default: !sites.some((other) => other.is_default),
    goals: GOALS.map(([id, name, type, condition]) => ({ id, name, type, condition })),
  };
  await applySites(write, { sites: [site] });
}
