// Removing a site or some of its days on the "Sites" page, after a confirmation that shows the number of rows; and the list of
// removals.
import {
  type AdminAnswer,
  type AdminRequest,
  ask,
  countOf,
  formatCount,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { listRemovals, type Removal, removalInWords, totalOf } from '../data/removal/removal-record';
import {
  type Counted,
  countRemoval,
  RemovalError,
  type Removed,
  RowsChanged,
  removeData,
} from '../data/removal/remove-data';
import { faultInWords } from '../data/removal/visitor-files';
import type { SiteOverview } from '../data/storage/sites/list-sites';
import { storedMaterials } from '../data/storage/stored-materials';
import { isLocalDate } from '../language/time/local-time';
import { daysWithViews } from './dashboard/dashboard-range';
import { datasetChoice } from './in-words';

const MAX_REMOVALS = 200;

type Typed = Readonly<Record<string, string>>;
type RemovedFromSite = Exclude<Removed, { readonly kind: 'visitor' }>;

/** Shows what can be removed, asks for confirmation, and removes it. */
export async function removeFromSite(
  analytics: Analytics,
  { method, query, form, user }: AdminRequest,
  site: SiteOverview,
): Promise<AdminAnswer> {
  const { host, manifest } = analytics;
  const { trackingId } = site;
  if (query.what === undefined) return choicePage(analytics, site, query);
  const read = readRemoved(analytics, query);
  if ('fault' in read) return choicePage(analytics, site, query, read.fault);
  const { removed } = read;
  const options = { host, manifest, trackingId, login: user.login, mark: form.get('mark') ?? '' };
  const redirect = (notice: string): AdminAnswer => ({ kind: 'redirect', to: pageAddress('sites'), notice });
  try {
    if (method === 'GET') return question(site, removed, await countRemoval(options, removed));
    if (removed.kind === 'site') analytics.workers.check('all');
    const { removed: rows, faults } = await removeData(options, removed);
    const left =
      faults.length > 0
        ? ` Not removed: rejected rows in ${faults.map(faultInWords).join(', ')}; delete them.`
        : '';
    return redirect(`Removed ${countOf(totalOf(rows), 'row')} from ${trackingId}.${left}`);
  } catch (error) {
    if (error instanceof RowsChanged) {
      const { counted, message } = error;
      // After a double click, for example.
      if (totalOf(counted.rows) === 0) return redirect('There was nothing left to remove.');
      return question(site, removed, counted, message);
    }
    if (error instanceof RemovalError) throw new PageError(409, error.message, pageAddress('sites'));
    throw error;
  }
}

function readRemoved(
  { manifest }: Pick<Analytics, 'manifest'>,
  { what, from = '', to = '', material = '' }: Typed,
): { readonly removed: RemovedFromSite } | { readonly fault: string } {
  if (what === 'site') return { removed: { kind: 'site' } };
  if (what !== 'days') return { fault: 'Choose what to remove.' };
  if (!isLocalDate(from) || !isLocalDate(to)) return { fault: 'Enter both days, such as 2026-05-01.' };
  if (from > to) return { fault: 'The first day is after the last one.' };
  if (material === '') return { removed: { kind: 'days', from, to } };
  if (!storedMaterials(manifest).some(({ name }) => name === material))
    return { fault: `${material} does not have its own rows.` };
  return { removed: { kind: 'days', from, to, material } };
}

function choicePage(
  { manifest }: Pick<Analytics, 'manifest'>,
  site: SiteOverview,
  typed: Typed,
  fault?: string,
): AdminAnswer {
  const { trackingId, name, timezone } = site;
  const first = daysWithViews(site, timezone)?.first ?? '';
  return {
    kind: 'page',
    ...(fault !== undefined && { status: 400 }),
    title: `Remove from ${name}`,
    view: 'extension/pages/views/site-remove',
    data: {
      trackingId,
      timezone,
      fault,
      typed: { from: typed.from ?? first, to: typed.to ?? '', material: typed.material ?? '' },
      datasets: [
        { value: '', label: 'All datasets' },
        ...storedMaterials(manifest).map(({ name }) => datasetChoice(name)),
      ],
    },
  };
}

function question(
  { trackingId, name }: SiteOverview,
  removed: RemovedFromSite,
  { rows, mark }: Counted,
  fault?: string,
): AdminAnswer {
  const total = countOf(totalOf(rows), 'row');
  const pairs = Object.entries(rows).map(([material, count]) => [material, formatCount(count)] as const);
  const more = { pairs, cancel: pageAddress('sites', 'remove', trackingId) };
  if (removed.kind === 'site')
    return ask({
      ...more,
      title: `Delete ${name}?`,
      about: `This permanently deletes the site ${trackingId} with its goals, imports and all of its data, currently ${total}.`,
      button: `Delete site ${trackingId}`,
    });
  return ask({
    ...more,
    title: `Remove days from ${name}?`,
    about: `This permanently removes ${total} of ${trackingId} from ${removed.from} to ${removed.to}.`,
    button: pairs.length > 0 ? `Remove ${total}` : undefined,
    mark,
    ...(fault !== undefined && { fault }),
  });
}

/** Removals from the user's sites, newest first. Users who see all sites also see removals from deleted sites. */
export async function removalsPage(
  { host }: Pick<Analytics, 'host'>,
  { user }: AdminRequest,
): Promise<AdminAnswer> {
  const removals = await listRemovals(host.database.read, user.sites, MAX_REMOVALS);
  return {
    kind: 'page',
    title: 'Removed data',
    view: 'extension/pages/views/removals',
    data: {
      removals: removals.map((removal) => ({
        ...removal,
        what: removalInWords(removal),
        rows: rowsInWords(removal),
      })),
      max: MAX_REMOVALS,
    },
  };
}

function rowsInWords({ removed, restored }: Removal): string {
  const rows = countOf(totalOf(removed), 'row');
  return restored ? `${rows}; ${formatCount(restored)} restored` : rows;
}
