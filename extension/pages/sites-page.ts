// The "Sites" page.
import { z } from 'zod';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  formatCount,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { DEMO_DOMAIN, DEMO_SITE } from '../data/demo/load-demo';
import type { FieldFault } from '../data/storage/field-faults';
import { type SiteFacts, type SiteOverview, siteOverview } from '../data/storage/sites/list-sites';
import { markOfSite, type SaveMode, saveSite } from '../data/storage/sites/save-site';
import { readStoredRows } from '../data/storage/stored-sizes';
import { daysWithViews } from './dashboard/dashboard-range';
import { formStatus, type StoredValues } from './edit-conflict';
import { siteOf } from './page-route';
import { removalsPage, removeFromSite } from './site-removal';
import { siteVisitor } from './site-visitor';

const SITES_ADDRESS = pageAddress('sites');

export const sitesPage = (analytics: Analytics): AdminPage => ({
  slug: 'sites',
  title: 'Sites',
  howTo: 'your-own-data',
  group: 'Data',
  position: 40,
  capability: 'manage_sites',
  takes: { words: 2, post: true },
  async handle(request) {
    const [action, trackingId] = request.words;
    if (request.words.length === 0 && request.method === 'GET') return list(analytics, request);
    if (request.words.length === 1 && action === 'add') return add(analytics, request);
    if (request.words.length === 1 && action === 'removed' && request.method === 'GET')
      return removalsPage(analytics, request);
    if (request.words.length === 2 && trackingId !== undefined) {
      const site = await overviewOf(analytics, request, trackingId);
      if (action === 'edit') return edit(analytics, request, site);
      if (action === 'remove') return removeFromSite(analytics, request, site);
      if (action === 'visitor') return siteVisitor(analytics, request, site);
    }
    throw new PageError(404, 'There is no such page.');
  },
});

async function list(
  { host, workers }: Pick<Analytics, 'host' | 'workers'>,
  { user }: AdminRequest,
): Promise<AdminAnswer> {
  const { read } = host.database;
  const sites = await siteOverview(read, user.sites, workers);
  const stored = await readStoredRows(read, user.sites);
  const rows = new Map(stored.map((site) => [site.trackingId, formatCount(site.rows)]));
  return {
    kind: 'page',
    view: 'extension/pages/views/sites',
    data: {
      sites: sites.map((site) => ({ ...site, span: spanOf(site), rows: rows.get(site.trackingId) })),
      demo: sites.find(({ trackingId, domain }) => trackingId === DEMO_SITE && domain === DEMO_DOMAIN)
        ?.trackingId,
    },
  };
}

function spanOf(site: SiteOverview): string | null {
  const days = daysWithViews(site, site.timezone);
  return days && `${days.first} – ${days.last}`;
}

/** Accepts a URL such as `https://example.com/` instead of the domain. */
const domainOf = (text: string): string =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).hostname : text;

const siteFormSchema = z
  .object({
    tracking_id: z.string().trim().default(''),
    domain: z.string().trim().default('').transform(domainOf),
    name: z.string().trim().default(''),
    timezone: z.string().trim().default(''),
    default: z.string().optional(),
    retention_days: z.string().trim().default(''),
    /** Identifies the state of the site that was edited. */
    mark: z.string().optional(),
  })
  .transform(({ tracking_id: trackingId, default: ticked, retention_days: days, mark, ...facts }) => ({
    site: {
      ...facts,
      trackingId,
      isDefault: ticked === 'yes',
      retentionDays: days === '' ? null : Number(days),
    },
    mark,
  }));

const EMPTY: SiteFacts = {
  trackingId: '',
  domain: '',
  name: '',
  timezone: 'UTC',
  isDefault: false,
  retentionDays: null,
};

const INVALID_ID_CHARACTERS = /[^a-z0-9_-]+/g;
const MAX_ID_LENGTH = 64;

/** The user's time zone is the one that their browser reported at the first login. */
async function add(analytics: Analytics, { method, form, user }: AdminRequest): Promise<AdminAnswer> {
  if (method === 'GET')
    return formPage(analytics, { mode: 'add', site: { ...EMPTY, timezone: user.timezone } });
  const { site } = siteFormSchema.parse(Object.fromEntries(form));
  const idOfDomain = site.domain.toLowerCase().replace(INVALID_ID_CHARACTERS, '-').slice(0, MAX_ID_LENGTH);
  return save(
    analytics,
    { ...site, trackingId: site.trackingId || idOfDomain, name: site.name || site.domain },
    'add',
  );
}

async function edit(
  analytics: Analytics,
  { method, form }: AdminRequest,
  site: SiteOverview,
): Promise<AdminAnswer> {
  if (method === 'GET') return formPage(analytics, { mode: 'change', site, mark: markOfSite(site) });
  const typed = siteFormSchema.parse(Object.fromEntries(form));
  return save(analytics, { ...typed.site, trackingId: site.trackingId }, 'change', typed.mark);
}

async function save(
  analytics: Analytics,
  site: SiteFacts,
  mode: SaveMode,
  mark?: string,
): Promise<AdminAnswer> {
  analytics.workers.check('all');
  const faults = await saveSite(analytics.host.database.write, site, mode, mark);
  if ('stored' in faults) {
    const { stored } = faults;
    return formPage(analytics, { mode, site, mark: markOfSite(stored), stored: storedValues(stored) });
  }
  if (faults.length > 0) return formPage(analytics, { mode, site, mark, faults });
  if (mode === 'change')
    return { kind: 'redirect', to: SITES_ADDRESS, notice: `Site ${site.trackingId} was changed.` };
  const to = `${pageAddress('imports', 'upload')}?${new URLSearchParams({ site: site.trackingId })}`;
  return { kind: 'redirect', to, notice: `Site ${site.trackingId} was added. Next, import its data.` };
}

const storedValues = ({ name, domain, timezone, isDefault, retentionDays }: SiteFacts): StoredValues => [
  ['Name', name],
  ['Domain', domain],
  ['Time zone', timezone],
  ['The default site', isDefault ? 'yes' : 'no'],
  ['Days to keep visits', retentionDays === null ? 'all' : String(retentionDays)],
];

interface ShownForm {
  readonly mode: SaveMode;
  readonly site: SiteFacts;
  /** Identifies the state of the site that was edited. */
  readonly mark?: string | undefined;
  readonly faults?: readonly FieldFault[];
  /** Set if another user changed the site. */
  readonly stored?: StoredValues;
}

async function formPage(
  { zones }: Pick<Analytics, 'zones'>,
  { mode, site, mark = '', faults = [], stored }: ShownForm,
): Promise<AdminAnswer> {
  return {
    kind: 'page',
    status: formStatus(faults.length > 0, stored),
    title: mode === 'add' ? 'Add a site' : `Site ${site.trackingId}`,
    view: 'extension/pages/views/site-form',
    data: {
      mode,
      site,
      mark,
      stored,
      faults: Object.fromEntries(faults.map(({ path, message }) => [path, message])),
      zones: [...(await zones())],
    },
  };
}

const noSuchSite = (trackingId: string) =>
  new PageError(404, `There is no site ${trackingId}; it may already have been removed.`, SITES_ADDRESS);

async function overviewOf(
  { host, workers }: Pick<Analytics, 'host' | 'workers'>,
  { user }: AdminRequest,
  trackingId: string,
): Promise<SiteOverview> {
  const permitted = await siteOf(host, user, trackingId);
  const [found] =
    permitted === undefined ? [] : await siteOverview(host.database.read, [trackingId], workers);
  if (found === undefined) throw noSuchSite(trackingId);
  return found;
}
