// The "Funnels" page and its forms. `funnels/shop/add?copy=3` opens a form with the steps of an existing funnel.
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  ask,
  type HostUser,
  PageError,
  pageAddress,
} from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import type { Goal } from '../../data/storage/goals/goal-schema';
import { listGoals } from '../../data/storage/goals/list-goals';
import { observedEvents } from '../../data/storage/observed-events';
import { permittedSites, type Site } from '../../data/storage/sites/list-sites';
import { DEFAULT_PERIOD } from '../dashboard/dashboard-range';
import { chosenSite, sitePage } from '../dashboard/site-page';
import { formStatus, type StoredValues } from '../edit-conflict';
import type { FormFaults } from '../goal-form';
import type { ReportInfo } from '../shared-types/report-types';
import { MAX_NAME_LENGTH } from '../shared-types/saved-types';
import { NEW_FUNNEL, readFunnel, readTyped, stepKinds, type TypedFunnel, typedOf } from './funnel-form';
import { FUNNELS, stepInWords } from './funnels-route';
import {
  addFunnel,
  changeFunnel,
  deleteFunnel,
  type Funnel,
  listFunnels,
  MAX_FUNNELS,
  markOfFunnel,
  type SavedFunnel,
} from './saved-funnels';

const mayChange = ({ capabilities }: HostUser): boolean => capabilities.includes('manage_sites');

export function funnelsPage(analytics: Analytics): AdminPage {
  const { handle, ...page } = sitePage(analytics, {
    slug: FUNNELS,
    defaultPeriod: DEFAULT_PERIOD,
    styles: ['extension/dashboard', 'extension/report'],
    frame(common, shown) {
      const edit = shown !== null && mayChange(shown.request.user) ? pageAddress(FUNNELS) : null;
      const info: ReportInfo = { ...common, edit };
      return { info, edit };
    },
  });
  return {
    ...page,
    title: 'Funnels',
    howTo: 'pages',
    group: 'Data',
    position: 5,
    takes: { words: 3, post: true },
    handle(request) {
      const [trackingId, ...rest] = request.words;
      if (trackingId !== undefined) return change(analytics, request, trackingId, rest);
      if (request.method === 'POST') throw new PageError(404, NO_PAGE);
      return handle(request);
    },
  };
}

interface OnSite {
  readonly analytics: Analytics;
  readonly request: AdminRequest;
  readonly site: Site;
  readonly funnels: readonly Funnel[];
}

async function change(
  analytics: Analytics,
  request: AdminRequest,
  trackingId: string,
  [funnelId, action, ...more]: readonly string[],
): Promise<AdminAnswer> {
  const { read } = analytics.host.database;
  const site = chosenSite(await permittedSites(read, request.user.sites), trackingId);
  if (!mayChange(request.user)) throw new PageError(403, 'Your account is not allowed to change funnels.');
  if (site === undefined || funnelId === undefined || more.length > 0) throw new PageError(404, NO_PAGE);
  const funnels = await listFunnels(read, site.siteId);
  const onSite = { analytics, request, site, funnels };
  if (funnelId === 'add' && action === undefined) return handleAdd(onSite);
  const funnel = funnels.find(({ id }) => String(id) === funnelId);
  if (funnel === undefined)
    throw new PageError(
      404,
      'The site has no such funnel; it may already have been deleted.',
      addressOf(site),
    );
  if (action === undefined) return handleChange(onSite, funnel);
  if (action === 'delete') return handleDelete(onSite, funnel);
  throw new PageError(404, NO_PAGE);
}

const NO_PAGE = 'There is no such page.';

const addressOf = ({ trackingId }: Site, id?: number): string =>
  `${pageAddress(FUNNELS)}?${new URLSearchParams({ site: trackingId, ...(id !== undefined && { funnel: String(id) }) })}`;

const COPY = ' (copy)';
const copyName = (name: string): string =>
  [...name]
    .slice(0, MAX_NAME_LENGTH - COPY.length)
    .join('')
    .trimEnd() + COPY;

async function handleAdd(onSite: OnSite): Promise<AdminAnswer> {
  const { analytics, request, site, funnels } = onSite;
  const original = funnels.find(({ id }) => String(id) === request.query.copy);
  const copied = original && typedOf({ ...original, name: copyName(original.name) });
  if (request.method === 'GET') {
    if (funnels.length < MAX_FUNNELS) return formPage(onSite, undefined, copied ?? NEW_FUNNEL);
    throw new PageError(409, FULL);
  }
  return save(onSite, undefined, (funnel) => addFunnel(analytics.host.database.write, site.siteId, funnel));
}

async function handleChange(onSite: OnSite, funnel: Funnel): Promise<AdminAnswer> {
  const { analytics, request, site } = onSite;
  if (request.method === 'GET')
    return formPage(onSite, funnel, { ...typedOf(funnel), mark: markOfFunnel(funnel) });
  return save(onSite, funnel, (fields, mark) =>
    changeFunnel(analytics.host.database.write, { siteId: site.siteId, id: funnel.id, mark }, fields),
  );
}

const FULL = `The site has ${MAX_FUNNELS} funnels, which is the limit. Delete one first.`;

const REFUSALS: Readonly<Record<Exclude<SavedFunnel['kind'], 'saved' | 'changed'>, FormFaults>> = {
  'name-taken': { name: 'is the name of another funnel; choose another name' },
  full: { '': FULL },
  gone: { '': 'Another user has deleted this funnel, so it was not changed.' },
};

async function save(
  onSite: OnSite,
  shown: Funnel | undefined,
  write: (funnel: Pick<Funnel, 'name' | 'steps'>, mark: string | undefined) => Promise<SavedFunnel>,
): Promise<AdminAnswer> {
  const typed = readTyped(onSite.request.form);
  const read = readFunnel(typed);
  if (read.kind === 'faults') return formPage(onSite, shown, typed, { faults: read.faults });
  const saved = await write(read.funnel, typed.mark);
  if (saved.kind === 'changed') {
    const { stored } = saved;
    return formPage(onSite, shown, { ...typed, mark: markOfFunnel(stored) }, { stored });
  }
  if (saved.kind !== 'saved') return formPage(onSite, shown, typed, { faults: REFUSALS[saved.kind] });
  const notice = `The funnel was ${shown === undefined ? 'added' : 'changed'}.`;
  return { kind: 'redirect', to: addressOf(onSite.site, saved.id), notice };
}

interface Outcome {
  readonly faults?: FormFaults;
  /** Set if another user changed the funnel. */
  readonly stored?: Funnel;
}

async function formPage(
  { analytics, site }: OnSite,
  shown: Funnel | undefined,
  typed: TypedFunnel,
  { faults = {}, stored }: Outcome = {},
): Promise<AdminAnswer> {
  const { read } = analytics.host.database;
  const [goals, events] = await Promise.all([
    listGoals(read, site.siteId),
    observedEvents(read, [site.siteId], analytics.manifest),
  ]);
  const values = stored && storedValues(stored, goals);
  return {
    kind: 'page',
    status: formStatus(Object.keys(faults).length > 0, values),
    title: shown === undefined ? `Add a funnel to ${site.name}` : `Funnel ${shown.name}`,
    view: 'extension/pages/views/funnel-form',
    data: {
      typed,
      faults,
      stored: values,
      isNew: shown === undefined,
      longestName: MAX_NAME_LENGTH,
      kinds: stepKinds(goals),
      events: [...(events.get(site.siteId)?.keys() ?? [])],
      address: addressOf(site, shown?.id),
    },
    scripts: ['extension/funnel-form'],
    styles: ['extension/report'],
  };
}

const storedValues = ({ name, steps }: Funnel, goals: readonly Goal[]): StoredValues => [
  ['Name', name],
  ['Steps', steps.map((step) => stepInWords(step, goals)).join(', ')],
];

const CHANGED =
  'Another user has changed this funnel, so it was not deleted. Its current steps are shown below.';

/** Asks for confirmation, and deletes only the version that was shown. */
async function handleDelete({ analytics, request, site }: OnSite, shown: Funnel): Promise<AdminAnswer> {
  const { read, write } = analytics.host.database;
  const goals = await listGoals(read, site.siteId);
  const question = (funnel: Funnel, fault?: string): AdminAnswer =>
    ask({
      title: `Delete the funnel ${funnel.name}?`,
      about: 'This deletes the funnel for everyone who has access to the site. No data is deleted.',
      pairs: storedValues(funnel, goals),
      mark: markOfFunnel(funnel),
      button: 'Delete the funnel',
      cancel: addressOf(site, funnel.id),
      ...(fault !== undefined && { fault }),
    });
  if (request.method === 'GET') return question(shown);
  const mark = request.form.get('mark') ?? undefined;
  const changed = await deleteFunnel(write, { siteId: site.siteId, id: shown.id, mark });
  if (changed !== undefined) return question(changed, CHANGED);
  return { kind: 'redirect', to: addressOf(site), notice: 'The funnel was deleted.' };
}
