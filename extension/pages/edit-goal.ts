// Adding and changing a goal. A condition's matches can be counted before saving; the form's script does so while the user types.
import { type AdminAnswer, type AdminRequest, PageError, pageAddress } from '../../host-shim/extension-api';
import { MAX_GOALS } from '../../manifests/reader/schema';
import type { Analytics } from '../api/analytics';
import type { FieldFault } from '../data/storage/field-faults';
import { countGoal } from '../data/storage/goals/count-goal';
import { type Goal, markOfGoal } from '../data/storage/goals/goal-schema';
import { countConversions } from '../data/storage/goals/list-goals';
import { saveGoal } from '../data/storage/goals/save-goal';
import type { Site } from '../data/storage/sites/list-sites';
import { formStatus, type StoredValues } from './edit-conflict';
import {
  EMPTY_GOAL,
  type FormFaults,
  faultsByField,
  GOAL_TYPES,
  type GoalFields,
  goalFields,
  notCounted,
  readGoalFields,
} from './goal-form';
import { conditionInWords, type Matches, matchesInWords } from './in-words';

/** The longest time to wait for a count. */
export const COUNT_SECONDS = 5;

export interface OnSite {
  readonly analytics: Analytics;
  readonly request: AdminRequest;
  readonly site: Site;
  readonly goals: readonly Goal[];
}

export const goalsAddress = ({ trackingId }: Site): string => pageAddress('goals', trackingId);

/** The unused goal numbers. */
export const freeNumbers = (goals: readonly Goal[]): readonly number[] =>
  Array.from({ length: MAX_GOALS }, (_unused, place) => place + 1).filter((number) =>
    goals.every(({ id }) => id !== number),
  );

export async function addGoal(onSite: OnSite): Promise<AdminAnswer> {
  const { request, goals, site } = onSite;
  if (freeNumbers(goals).length === 0)
    throw new PageError(
      409,
      `Site ${site.trackingId} already has ${MAX_GOALS} goals, which is the limit. Remove one first.`,
    );
  if (request.method === 'GET') return formPage(onSite, { mode: 'add', fields: EMPTY_GOAL });
  const fields = Object.fromEntries(request.form);
  // Digits only: Number() would also accept 1e0 and 0x1.
  const number = /^\d{1,2}$/.test(fields.id ?? '') ? Number(fields.id) : Number.NaN;
  return answerForm(onSite, { mode: 'add', number, fields });
}

export async function editGoal(onSite: OnSite, goal: Goal): Promise<AdminAnswer> {
  const { request } = onSite;
  const number = goal.id;
  if (request.method === 'GET')
    return formPage(onSite, { mode: 'change', number, fields: goalFields(goal), mark: markOfGoal(goal) });
  const fields = Object.fromEntries(request.form);
  return answerForm(onSite, { mode: 'change', number, fields, mark: fields.mark });
}

interface Typed {
  readonly mode: 'add' | 'change';
  readonly number?: number;
  readonly fields: GoalFields;
  /** Identifies the state of the goal that was edited. */
  readonly mark?: string | undefined;
}

/** Saves or counts, depending on which button was pressed. */
async function answerForm(onSite: OnSite, typed: Typed & { number: number }): Promise<AdminAnswer> {
  const { analytics, request, site } = onSite;
  const { mode, number, fields, mark } = typed;
  const { read, write } = analytics.host.database;
  const { action, name = '', type = '' } = fields;
  if (action !== 'save' && action !== 'count')
    throw new PageError(400, 'The field "action" must be save or count.');
  const parsed = readGoalFields(fields);
  const isCount = action === 'count';
  const refuse = (faults: FormFaults) =>
    formPage(onSite, typed, { faults, matches: isCount ? notCounted(type, faults) : undefined });
  if (parsed.kind === 'faults') return refuse(parsed.faults);
  const refuseFields = (faults: readonly FieldFault[]) => refuse(faultsByField(type, faults));
  if (isCount) {
    const count = await countGoal(read, site.trackingId, parsed.goal, { signal: request.signal });
    if (count.kind === 'faults') return refuseFields(count.faults);
    return formPage(onSite, typed, { matches: matchesInWords(count) });
  }
  const goal = { id: number, name: name.trim(), ...parsed.goal };
  const saved = await saveGoal(write, site.trackingId, goal, mode, mark);
  if ('stored' in saved) {
    const { stored } = saved;
    return formPage(onSite, { ...typed, mark: markOfGoal(stored) }, { stored: storedValues(stored) });
  }
  if (saved.length > 0) return refuseFields(saved);
  const done = `Goal ${number} ${mode === 'add' ? 'was added' : 'was changed'}.`;
  const conversionsOf = await countConversions(read, site.siteId, {
    seconds: COUNT_SECONDS,
    signal: request.signal,
  });
  const next =
    conversionsOf(goal) === 0
      ? 'Nothing in the data matches it yet.'
      : 'Next, see its conversions on the dashboard.';
  return { kind: 'redirect', to: goalsAddress(site), notice: `${done} ${next}` };
}

export const storedValues = (goal: Goal): StoredValues => [
  ['Name', goal.name],
  ['Condition', conditionInWords(goal)],
];

interface Outcome {
  readonly faults?: FormFaults;
  readonly matches?: Matches | undefined;
  /** Set if another user changed the goal. */
  readonly stored?: StoredValues;
}

function formPage(
  { site, goals }: OnSite,
  { mode, number, fields, mark }: Typed,
  { faults = {}, matches, stored }: Outcome = {},
): AdminAnswer {
  return {
    kind: 'page',
    status: formStatus(Object.keys(faults).length > 0, stored),
    title: mode === 'add' ? `Add a goal to ${site.name}` : `Goal ${number} of ${site.name}`,
    view: 'extension/pages/views/goal-form',
    data: {
      mode,
      goalNumber: number,
      numbers: freeNumbers(goals).map((free) => ({ value: String(free), label: String(free) })),
      address: goalsAddress(site),
      types: GOAL_TYPES,
      fields,
      faults,
      mark,
      stored,
      matches,
    },
    scripts: ['extension/goal-form'],
  };
}
