// The page "Goals": the goals of one site with their conversions; add one, change one, remove one after a question.
// A condition can be counted before it is saved, with script while it is typed and without by a button of the form.
import { type AdminAnswer, type AdminPage, PageError } from '../../host-shim/extension-api';
import { MOST_GOALS } from '../../manifests/reader/schema';
import type { Analytics } from '../analytics';
import type { FieldFault } from '../storage/field-faults';
import { countGoal } from '../storage/goals/count-goal';
import { type Goal, markOfGoal } from '../storage/goals/goal-schema';
import { listGoals } from '../storage/goals/list-goals';
import { saveGoal } from '../storage/goals/save-goal';
import { type SiteOverview, siteOverview } from '../storage/sites/list-sites';
import {
  EMPTY_GOAL,
  faultsByField,
  GOAL_TYPES,
  type GoalField,
  type GoalFields,
  goalFields,
  readGoalFields,
} from './goal-form';
import { removeGoalPage } from './goal-removal';
import { conditionInWords, countInWords } from './goal-words';
import { pagesNamespaceOf } from './page-route';
import { formStatus, type PresentValues, unlessChanged } from './present-values';
import { addressOf, conversionsShown, type OnSite } from './site-goals';

/** The page "Goals". */
export const goalsPage = (analytics: Analytics): AdminPage => ({
  slug: 'goals',
  title: 'Goals',
  group: 'Data',
  position: 50,
  capability: 'manage_sites',
  takes: { words: 3, post: true },
  async handle(request) {
    const { words, query, user, method } = request;
    const { read } = analytics.host.database;
    const sites = await siteOverview(read, user.sites);
    const [trackingId, number, action] = words;
    if (trackingId === undefined) return chooseSite(sites, query.site);
    const site = sites.find((one) => one.trackingId === trackingId);
    if (site === undefined) throw new PageError(404, `There is no site ${trackingId}.`);
    const goals = await listGoals(read, trackingId);
    const onSite = { analytics, request, site, sites, goals };
    if (number === undefined && method === 'GET') return list(onSite);
    if (number === 'add' && action === undefined) return add(onSite);
    const goal = goals.find(({ id }) => String(id) === number);
    if (goal === undefined) throw new PageError(404, `Site ${trackingId} has no such goal.`);
    if (action === undefined) return edit(onSite, goal);
    if (action === 'remove' && words.length === 3) return removeGoalPage(onSite, goal);
    throw new PageError(404, 'There is no such page.');
  },
});

/** The goals of the site that was chosen, or of the first one. */
function chooseSite(sites: readonly SiteOverview[], chosen: string | undefined): AdminAnswer {
  const site = chosen === undefined ? sites[0] : sites.find((one) => one.trackingId === chosen);
  if (site !== undefined) return { kind: 'redirect', to: addressOf(site) };
  if (chosen !== undefined) throw new PageError(404, `There is no site ${chosen}.`);
  return { kind: 'page', view: 'extension/admin/views/goals', data: { site: null } };
}

async function list(onSite: OnSite): Promise<AdminAnswer> {
  const { site, sites, goals } = onSite;
  const conversionsOf = await conversionsShown(onSite);
  return {
    kind: 'page',
    title: `Goals of ${site.name}`,
    view: 'extension/admin/views/goals',
    data: {
      site,
      sites,
      address: addressOf(site),
      goals: goals.map((goal) => ({
        number: goal.id,
        name: goal.name,
        type: goal.type,
        title: GOAL_TYPES.find(({ type }) => type === goal.type)?.title,
        words: conditionInWords(goal),
        conversions: conversionsOf(goal),
      })),
      isFull: freeNumbers(goals).length === 0,
      most: MOST_GOALS,
    },
  };
}

const NUMBERS: readonly number[] = Array.from({ length: MOST_GOALS }, (_unused, place) => place + 1);

const freeNumbers = (goals: readonly Goal[]): readonly number[] =>
  NUMBERS.filter((number) => goals.every(({ id }) => id !== number));

async function add(onSite: OnSite): Promise<AdminAnswer> {
  const { request, goals, site } = onSite;
  const free = freeNumbers(goals);
  if (free.length === 0)
    throw new PageError(
      409,
      `Site ${site.trackingId} has ${MOST_GOALS} goals, which is the most; remove one first.`,
    );
  const typed = fieldsOf(request.form);
  if (request.method === 'GET') return formPage(onSite, { mode: 'add', fields: EMPTY_GOAL });
  return answerForm(onSite, { mode: 'add', number: numberOf(typed.id), fields: typed });
}

async function edit(onSite: OnSite, goal: Goal): Promise<AdminAnswer> {
  const { request } = onSite;
  const number = goal.id;
  if (request.method === 'GET')
    return formPage(onSite, { mode: 'change', number, fields: goalFields(goal), mark: markOfGoal(goal) });
  const fields = fieldsOf(request.form);
  return answerForm(onSite, { mode: 'change', number, fields, mark: fields.mark });
}

const fieldsOf = (form: URLSearchParams): GoalFields => Object.fromEntries(form);

interface Typed {
  readonly mode: 'add' | 'change';
  readonly number?: number;
  readonly fields: GoalFields;
  /** Of the goal that the form was filled from. */
  readonly mark?: string | undefined;
}

const numberField = (free: readonly number[]): GoalField => ({
  name: 'id',
  label: 'Number',
  hint: 'Queries name the goal by it: goal_1, goal_2 and so on. It cannot be changed later.',
  path: 'id',
  choices: free.map((number) => ({ value: String(number), label: String(number) })),
});

const TYPE_FIELD: GoalField = {
  name: 'type',
  label: 'Type',
  hint: 'Only the fields of this type count.',
  path: 'type',
  choices: GOAL_TYPES.map(({ type, title }) => ({ value: type, label: title })),
};

const ACTIONS: readonly string[] = ['save', 'count'];

/** As the form writes it: of 1e0 or 0x1 nobody knows that a goal is meant. */
const numberOf = (text = ''): number => (/^\d{1,2}$/.test(text) ? Number(text) : Number.NaN);

const presentOf = (goal: Goal): PresentValues => [
  ['Name', goal.name],
  [
    'Condition',
    conditionInWords(goal)
      .map(({ text }) => text)
      .join(' '),
  ],
];

/** Saves what was typed, or counts it, whichever button was pressed. */
async function answerForm(onSite: OnSite, typed: Typed & { number: number }): Promise<AdminAnswer> {
  const { analytics, request, site } = onSite;
  const { mode, number, fields, mark } = typed;
  if (!ACTIONS.includes(fields.action ?? ''))
    throw new PageError(
      400,
      `A goal is saved or counted: the field "action" is one of ${ACTIONS.join(', ')}.`,
    );
  const { read, write } = analytics.host.database;
  const asked = readGoalFields(fields);
  if (asked.kind === 'faults') return formPage(onSite, typed, asked.faults);
  const byField = (faults: Parameters<typeof faultsByField>[1]) =>
    formPage(onSite, typed, faultsByField(fields.type ?? '', faults));
  if (fields.action === 'count') {
    const count = await countGoal(read, site.trackingId, asked.goal, { signal: request.signal });
    return count.kind === 'faults'
      ? byField(count.faults)
      : formPage(onSite, typed, {}, countInWords(count) ?? '');
  }
  const goal = { id: number, name: (fields.name ?? '').trim(), ...asked.goal };
  const saved = await unlessChanged<readonly FieldFault[], Goal>(
    saveGoal(write, site.trackingId, goal, mode, mark),
  );
  if (saved.kind === 'changed')
    return formPage(onSite, { ...typed, mark: markOfGoal(saved.stored) }, {}, '', presentOf(saved.stored));
  if (saved.answer.length > 0) return byField(saved.answer);
  const done = mode === 'add' ? 'was added' : 'was changed';
  return { kind: 'redirect', to: addressOf(site), notice: `Goal ${number} ${done}.` };
}

function formPage(
  { site, goals, analytics }: OnSite,
  { mode, number, fields, mark }: Typed,
  faults: GoalFields = {},
  count = '',
  present?: PresentValues,
): AdminAnswer {
  return {
    kind: 'page',
    status: formStatus(Object.keys(faults).length > 0, present),
    title: mode === 'add' ? `Add a goal to ${site.name}` : `Goal ${number} of ${site.name}`,
    view: 'extension/admin/views/goal-form',
    data: {
      mode,
      number,
      site,
      address: addressOf(site),
      numberField: numberField(freeNumbers(goals)),
      typeField: TYPE_FIELD,
      types: GOAL_TYPES,
      fields,
      faults,
      mark,
      present,
      count,
      countRoute: `${pagesNamespaceOf(analytics.settings)}/goal-count`,
    },
    scripts: ['extension/goal-form'],
  };
}
