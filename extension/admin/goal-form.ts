// Owns the form of a goal: the fields of each type, and the way between what is typed and what a file of sites would say.
// Fields of a form <-> a goal, unchecked. Fields of other types than the chosen one are kept, and count for nothing.

import { jsonLoss } from '../import/exact-json';
import type { FieldFault } from '../storage/field-faults';
import type { Goal } from '../storage/goals/goal-schema';

export type GoalType = Goal['type'];

export interface GoalField {
  /** Name in the form. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** Where it goes, as the faults of a goal name it. */
  readonly path: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly isLong?: boolean;
}

export interface GoalTypeForm {
  readonly type: GoalType;
  readonly title: string;
  readonly about: string;
  readonly fields: readonly GoalField[];
}

const MATCHES = [
  { value: 'exact', label: 'is exactly (a slash at the end does not count)' },
  { value: 'prefix', label: 'begins with' },
  { value: 'contains', label: 'contains' },
  { value: 'regex', label: 'matches the regular expression' },
];

/** The types of goals, those of the newest contract first. */
export const GOAL_TYPES: readonly GoalTypeForm[] = [
  {
    type: 'gtype_page',
    title: 'Page',
    about: 'A view of a page with such a URL.',
    fields: [
      { name: 'page_match', label: 'The URL', path: 'condition.match', choices: MATCHES },
      { name: 'page_url', label: 'URL, or part of it', path: 'condition.url' },
    ],
  },
  {
    type: 'gtype_click',
    title: 'Click',
    about: 'A click on an element, on any page or on one.',
    fields: [
      {
        name: 'click_selector',
        label: 'Selector',
        hint: 'As the data have it, letter for letter: button.buy',
        path: 'condition.selector',
      },
      {
        name: 'click_page',
        label: 'On the page with this URL',
        hint: 'Left empty: on any page.',
        path: 'condition.page',
      },
    ],
  },
  {
    type: 'gtype_event',
    title: 'Event',
    about: 'An event of the data layer, perhaps with certain parameters.',
    fields: [
      { name: 'event_name', label: 'Name of the event', path: 'condition.event' },
      {
        name: 'event_params',
        label: 'Parameters that it must have',
        hint: 'A JSON object such as {"currency": "EUR", "value": 10}. Each must have that very value. Left empty: whatever they are.',
        path: 'condition',
        isLong: true,
      },
    ],
  },
  {
    type: 'scroll_depth',
    title: 'Scroll depth',
    about: 'A view that was scrolled that deep.',
    fields: [{ name: 'depth', label: 'Per cent, 1 to 100', path: 'condition' }],
  },
  {
    type: 'url_match',
    title: 'URL contains (initial form)',
    about: 'A view of a page whose URL contains a text; as the first version had it.',
    fields: [{ name: 'url_text', label: 'Text', path: 'condition' }],
  },
  {
    type: 'click',
    title: 'Click (initial form)',
    about: 'A click on an element of any page; as the first version had it.',
    fields: [{ name: 'selector_text', label: 'Selector', path: 'condition' }],
  },
];

/** What was typed, by the name of the field. */
export type GoalFields = Readonly<Record<string, string>>;

/** The fields of an empty form. */
export const EMPTY_GOAL: GoalFields = { type: 'gtype_page', page_match: 'exact' };

export type ReadGoal =
  | { readonly kind: 'goal'; readonly goal: { readonly type: unknown; readonly condition: unknown } }
  | { readonly kind: 'faults'; readonly faults: GoalFields };

/** Type and condition as the form has them; what is wrong with them is the schema's to say, but for JSON. */
export function readGoalFields(fields: GoalFields): ReadGoal {
  const text = (name: string): string => fields[name] ?? '';
  const goal = (condition: unknown): ReadGoal => ({ kind: 'goal', goal: { type: text('type'), condition } });
  switch (text('type')) {
    case 'gtype_page':
      return goal({ url: text('page_url'), match: text('page_match') });
    case 'gtype_click':
      return goal({
        selector: text('click_selector'),
        ...(text('click_page') === '' ? {} : { page: text('click_page') }),
      });
    case 'gtype_event': {
      const parameters = readParameters(text('event_params'));
      return typeof parameters === 'string'
        ? { kind: 'faults', faults: { event_params: parameters } }
        : goal({ event: text('event_name'), ...parameters });
    }
    case 'scroll_depth':
      return goal(text('depth').trim());
    case 'url_match':
      return goal(text('url_text'));
    case 'click':
      return goal(text('selector_text'));
    default:
      return goal(undefined);
  }
}

/** The faults of a goal by field of its form; what is no field's stands under the empty name. */
export function faultsByField(type: string, faults: readonly FieldFault[]): GoalFields {
  const fields = GOAL_TYPES.find((one) => one.type === type)?.fields ?? [];
  return Object.fromEntries(
    faults.map(({ path, message }) => {
      if (path === 'id' || path === 'name' || path === 'type') return [path, message];
      return [fields.find((field) => field.path === path)?.name ?? '', message];
    }),
  );
}

/** The fields of the form for a goal that is there. */
export function goalFields(goal: Goal): GoalFields {
  return { ...EMPTY_GOAL, type: goal.type, name: goal.name, ...conditionFields(goal) };
}

function conditionFields(goal: Goal): GoalFields {
  switch (goal.type) {
    case 'gtype_page':
      return { page_url: goal.condition.url, page_match: goal.condition.match };
    case 'gtype_click':
      return { click_selector: goal.condition.selector, click_page: goal.condition.page ?? '' };
    case 'gtype_event': {
      const { event, ...parameters } = goal.condition;
      const isAny = Object.keys(parameters).length === 0;
      return { event_name: event, event_params: isAny ? '' : JSON.stringify(parameters) };
    }
    case 'scroll_depth':
      return { depth: goal.condition };
    case 'url_match':
      return { url_text: goal.condition };
    case 'click':
      return { selector_text: goal.condition };
  }
}

/** The parameters of an event as typed; an empty text means none. Gives the object, or what is wrong with the text. */
function readParameters(text: string): object | string {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return 'must be a JSON object such as {"currency": "EUR"}';
    if (Object.hasOwn(value, 'event'))
      return 'must not hold "event": the name of the event stands in the field above';
    return jsonLoss(text, value, 'outside') ?? value;
  } catch (error) {
    if (error instanceof SyntaxError) return `must be a JSON object: ${error.message}`;
    throw error;
  }
}
