import { type AdminAnswer, type AdminPage, ask, formatCount, PageError } from '../../host-shim/extension-api';
import { MAX_GOALS } from '../../manifests/reader/schema';
import type { Analytics } from '../api/analytics';
import { type Goal, markOfGoal } from '../data/storage/goals/goal-schema';
import { countConversions, listGoals } from '../data/storage/goals/list-goals';
import { removeGoal } from '../data/storage/goals/save-goal';
import { permittedSites, type Site } from '../data/storage/sites/list-sites';
import {
  addGoal,
  COUNT_SECONDS,
  editGoal,
  freeNumbers,
  goalsAddress,
  type OnSite,
  storedValues,
} from './edit-goal';
import { GOAL_TYPES } from './goal-form';
import { conditionInWords } from './in-words';

export const goalsPage = (analytics: Analytics): AdminPage => ({
  slug: 'goals',
  title: 'Goals',
  howTo: 'your-own-data',
  group: 'Data',
  position: 50,
  capability: 'manage_sites',
  takes: { words: 3, post: true },
  async handle(request) {
    const { words, query, user, method } = request;
    const { read } = analytics.host.database;
    const sites = await permittedSites(read, user.sites);
    const [trackingId, number, action] = words;
    if (trackingId === undefined) return chooseSite(sites, query.site);
    const site = sites.find((one) => one.trackingId === trackingId);
    if (site === undefined) throw new PageError(404, `There is no site ${trackingId}.`);
    const goals = await listGoals(read, site.siteId);
    const onSite = { analytics, request, site, goals };
    if (number === undefined && method === 'GET') return list(onSite, sites);
    if (number === 'add' && action === undefined) return addGoal(onSite);
    const goal = goals.find(({ id }) => String(id) === number);
    if (goal === undefined)
      throw new PageError(
        404,
        `Site ${trackingId} has no such goal; it may already have been removed.`,
        goalsAddress(site),
      );
    if (action === undefined) return editGoal(onSite, goal);
    if (action === 'remove' && words.length === 3) return remove(onSite, goal);
    throw new PageError(404, 'There is no such page.');
  },
});

/** Redirects to the goals of the chosen site, or of the first one. */
function chooseSite(sites: readonly Site[], chosen: string | undefined): AdminAnswer {
  const site = chosen === undefined ? sites[0] : sites.find((one) => one.trackingId === chosen);
  if (site !== undefined) return { kind: 'redirect', to: goalsAddress(site) };
  if (chosen !== undefined) throw new PageError(404, `There is no site ${chosen}.`);
  return { kind: 'page', view: 'extension/pages/views/goals', data: { site: null } };
}

async function list(onSite: OnSite, sites: readonly Site[]): Promise<AdminAnswer> {
  const { site, goals } = onSite;
  const conversionsOf = await countConversionsOf(onSite);
  return {
    kind: 'page',
    title: `Goals of ${site.name}`,
    view: 'extension/pages/views/goals',
    data: {
      site,
      sites,
      address: goalsAddress(site),
      goals: goals.map((goal) => ({
        number: goal.id,
        name: goal.name,
        type: goal.type,
        title: GOAL_TYPES.find(({ type }) => type === goal.type)?.title,
        condition: conditionInWords(goal),
        conversions: conversionsOf(goal),
      })),
      isFull: freeNumbers(goals).length === 0,
      max: MAX_GOALS,
    },
  };
}

async function countConversionsOf({ analytics, request, site }: OnSite): Promise<(goal: Goal) => string> {
  const limits = { seconds: COUNT_SECONDS, signal: request.signal };
  const conversionsOf = await countConversions(analytics.host.database.read, site.siteId, limits);
  return (goal) => {
    const conversions = conversionsOf(goal);
    return conversions === undefined
      ? `not counted within ${COUNT_SECONDS} seconds`
      : formatCount(conversions);
  };
}

const CHANGED =
  'Another user has changed this goal, so it was not removed. Its current values are shown below.';

/** Asks for confirmation, and removes only the version that was shown. */
async function remove(onSite: OnSite, shown: Goal): Promise<AdminAnswer> {
  const { analytics, request, site } = onSite;
  const question = async (goal: Goal, fault?: string): Promise<AdminAnswer> =>
    ask({
      title: `Remove goal ${goal.id} of ${site.name}?`,
      about: `This removes the goal and its conversions, but no page views. Queries that use goal_${goal.id} will be rejected. If you add the same goal again, its conversions are restored.`,
      pairs: [...storedValues(goal), ['Conversions', (await countConversionsOf(onSite))(goal)]],
      mark: markOfGoal(goal),
      button: 'Remove the goal',
      cancel: goalsAddress(site),
      ...(fault !== undefined && { fault }),
    });
  if (request.method === 'GET') return question(shown);
  const mark = request.form.get('mark') ?? undefined;
  const removed = await removeGoal(analytics.host.database.write, site.trackingId, shown.id, mark);
  if ('stored' in removed) return question(removed.stored, CHANGED);
  const [fault] = removed;
  if (fault !== undefined) return question(shown, fault.message);
  return { kind: 'redirect', to: goalsAddress(site), notice: `Goal ${shown.id} was removed.` };
}
