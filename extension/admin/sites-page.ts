// The page "Sites": which sites are measured and what data there is of them; add one, change one.
// Rows are counted by a browser module, site after site, or on a page of their own: the list itself must be quick.
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import type { FieldFault } from '../storage/field-faults';
import { type SiteFacts, type SiteOverview, siteOverview } from '../storage/sites/list-sites';
import { markOfSite, type SaveMode, type ShownSite, saveSite } from '../storage/sites/save-site';
import { localDateOf } from '../time/local-time';
import { countRows } from './count-rows';
import { pagesNamespaceOf } from './page-route';
import { formStatus, type PresentValues, unlessChanged } from './present-values';

const SITES_ADDRESS = pageAddress('sites');

/** The page "Sites". */
export const sitesPage = (analytics: Analytics): AdminPage => ({
  slug: 'sites',
  title: 'Sites',
  group: 'Data',
  position: 40,
  capability: 'manage_sites',
  takes: { words: 2, post: true },
  async handle(request) {
    const [action, trackingId] = request.words;
    if (request.words.length === 0 && request.method === 'GET') return list(analytics, request);
    if (request.words.length === 1 && action === 'add') return add(analytics, request);
    if (request.words.length === 2 && trackingId !== undefined) {
      const site = await siteOf(analytics, request, trackingId);
      if (action === 'edit') return edit(analytics, request, site);
      if (action === 'rows' && request.method === 'GET') return rows(analytics, request, site);
    }
    throw new PageError(404, 'There is no such page.');
  },
});

async function list({ host, settings }: Analytics, { user }: AdminRequest): Promise<AdminAnswer> {
  const sites = await siteOverview(host.database.read, user.sites);
  return {
    kind: 'page',
    view: 'extension/admin/views/sites',
    data: {
      sites: sites.map((site) => ({ ...site, span: spanOf(site) })),
      countRoute: `${pagesNamespaceOf(settings)}/row-counts`,
    },
    scripts: ['extension/site-rows'],
  };
}

/** First and last day with page views, by the site's own clock. */
function spanOf({ firstView, lastView, timezone }: SiteOverview): string | null {
  if (firstView === null || lastView === null) return null;
  const [first, last] = [firstView, lastView].map((at) => localDateOf(at.getTime() / 1000, timezone));
  return `${first} – ${last}`;
}

async function add(analytics: Analytics, { method, form }: AdminRequest): Promise<AdminAnswer> {
  if (method === 'GET') return formPage(analytics, { mode: 'add', site: EMPTY });
  const site = readForm(form, (form.get('tracking_id') ?? '').trim());
  return save(analytics, site, 'add');
}

async function edit(
  analytics: Analytics,
  { method, form }: AdminRequest,
  site: SiteOverview,
): Promise<AdminAnswer> {
  if (method === 'GET') return formPage(analytics, { mode: 'change', site, mark: markOfSite(site) });
  return save(analytics, readForm(form, site.trackingId), 'change', form.get('mark') ?? undefined);
}

const EMPTY: SiteFacts = { trackingId: '', domain: '', name: '', timezone: 'UTC', isDefault: false };

function readForm(form: URLSearchParams, trackingId: string): SiteFacts {
  const text = (name: string): string => (form.get(name) ?? '').trim();
  return {
    trackingId,
    domain: text('domain'),
    name: text('name'),
    timezone: text('timezone'),
    isDefault: form.get('default') === 'yes',
  };
}

async function save(
  analytics: Analytics,
  site: SiteFacts,
  mode: SaveMode,
  mark?: string,
): Promise<AdminAnswer> {
  const saved = await unlessChanged<readonly FieldFault[], ShownSite>(
    saveSite(analytics.host.database.write, site, mode, mark),
  );
  if (saved.kind === 'changed') {
    const { stored } = saved;
    return formPage(analytics, { mode, site, mark: markOfSite(stored), present: presentOf(stored) });
  }
  const faults = saved.answer;
  if (faults.length > 0) return formPage(analytics, { mode, site, mark, faults });
  const done = mode === 'add' ? 'was added' : 'was changed';
  return { kind: 'redirect', to: SITES_ADDRESS, notice: `Site ${site.trackingId} ${done}.` };
}

const presentOf = ({ name, domain, timezone, isDefault }: ShownSite): PresentValues => [
  ['Name', name],
  ['Domain', domain],
  ['Time zone', timezone],
  ['The default site', isDefault ? 'yes' : 'no'],
];

interface ShownForm {
  readonly mode: SaveMode;
  readonly site: SiteFacts;
  /** Of the site that the form was filled from. */
  readonly mark?: string | undefined;
  readonly faults?: readonly FieldFault[];
  /** Where somebody else changed the site meanwhile. */
  readonly present?: PresentValues;
}

function formPage(
  { zones }: Analytics,
  { mode, site, mark = '', faults = [], present }: ShownForm,
): AdminAnswer {
  const { trackingId, domain, name, timezone, isDefault } = site;
  return {
    kind: 'page',
    status: formStatus(faults.length > 0, present),
    title: mode === 'add' ? 'Add a site' : `Site ${trackingId}`,
    view: 'extension/admin/views/site-form',
    data: {
      mode,
      site: { trackingId, domain, name, timezone, isDefault },
      mark,
      present,
      faults: Object.fromEntries(faults.map(({ path, message }) => [path, message])),
      zones: [...zones],
    },
  };
}

async function rows(
  analytics: Analytics,
  { signal }: AdminRequest,
  site: SiteOverview,
): Promise<AdminAnswer> {
  const counted = await countRows(analytics, site.trackingId, signal);
  return {
    kind: 'page',
    title: `Rows of ${site.name}`,
    view: 'extension/admin/views/site-rows',
    data: { site, ...counted },
  };
}

async function siteOf(
  { host }: Analytics,
  { user }: AdminRequest,
  trackingId: string,
): Promise<SiteOverview> {
  const sites = await siteOverview(host.database.read, user.sites);
  const found = sites.find((site) => site.trackingId === trackingId);
  if (found === undefined) throw new PageError(404, `There is no site ${trackingId}.`);
  return found;
}
