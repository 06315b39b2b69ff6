// The goal form: the fields of each goal type, and their conversion from and to a goal. The form contains the fields of all types;
// only those of the chosen type are read.
import { jsonLoss } from '../data/import/exact-json';
import type { FieldFault } from '../data/storage/field-faults';
import type { Goal } from '../data/storage/goals/goal-schema';
import type { Matches } from './in-words';

type GoalType = Goal['type'];

interface GoalField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** Path of the field's value in the goal. Errors refer to this path. */
  readonly path: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly rows?: number;
}

interface GoalTypeForm {
  readonly type: GoalType;
  readonly title: string;
  readonly about: string;
  readonly fields: readonly GoalField[];
}

const MATCHES = [
  { value: 'exact', label: 'is exactly (ignoring a slash at the end)' },
  { value: 'prefix', label: 'starts with' },
  { value: 'contains', label: 'contains' },
  { value: 'regex', label: 'matches the regular expression' },
];

const WHOLE_URL =
  'A path such as /contact/thanks/ means that path on the domain of this site, with or without www. The part after a ? is part of the URL.';

/** The newest contract's types come first. */
export const GOAL_TYPES: readonly GoalTypeForm[] = [
  {
    type: 'gtype_page',
    title: 'Page',
    about: 'A view of a page whose URL matches.',
    fields: [
      { name: 'page_match', label: 'The URL', path: 'condition.match', choices: MATCHES },
      {
        name: 'page_url',
        label: 'URL, path, or part of it',
        hint: `${WHOLE_URL} “contains” and regular expressions are compared with the whole URL.`,
        path: 'condition.url',
      },
    ],
  },
  {
    type: 'gtype_click',
    title: 'Click',
    about: 'A click on an element, on any page or on a specific one.',
    fields: [
      {
        name: 'click_selector',
        label: 'Selector',
        hint: 'Exactly as it is in the data, such as button.buy',
        path: 'condition.selector',
      },
      {
        name: 'click_page',
        label: 'On the page with this URL',
        hint: `Leave blank for any page. ${WHOLE_URL}`,
        path: 'condition.page',
      },
    ],
  },
  {
    type: 'gtype_event',
    title: 'Event',
    about: 'A data layer event, optionally with particular parameters.',
    fields: [
      { name: 'event_name', label: 'Event name', path: 'condition.event' },
      {
        name: 'event_params',
        label: 'Required parameters',
        hint: 'A JSON object such as {"currency": "EUR", "value": 10}. Leave blank for any parameters.',
        path: 'condition',
        rows: 3,
      },
    ],
  },
  {
    type: 'scroll_depth',
    title: 'Scroll depth',
    about: 'A page view that was scrolled this far.',
    fields: [{ name: 'depth', label: 'Percent, 1 to 100', path: 'condition' }],
  },
  {
    type: 'url_match',
    title: 'URL contains (initial form)',
    about: 'A view of a page whose URL contains the given text. API 2025-10-20 only.',
    fields: [{ name: 'url_text', label: 'Text', path: 'condition' }],
  },
  {
    type: 'click',
    title: 'Click (initial form)',
    about: 'A click on an element, on any page. API 2025-10-20 only.',
    fields: [{ name: 'selector_text', label: 'Selector', path: 'condition' }],
  },
];

/** Values by field name. */
export type GoalFields = Readonly<Record<string, string>>;

/** Messages by field name; the name is empty for messages about the whole form. */
export type FormFaults = Readonly<Record<string, string>>;

export const EMPTY_GOAL: GoalFields = { type: 'gtype_page', page_match: 'exact' };

type TypedGoal =
  | { readonly kind: 'goal'; readonly goal: { readonly type: string; readonly condition: unknown } }
  | { readonly kind: 'faults'; readonly faults: FormFaults };

/** The type and condition as entered. The goal schema checks everything except the JSON of parameters. */
export function readGoalFields(fields: GoalFields): TypedGoal {
  const text = (name: string) => fields[name] ?? '';
  const type = text('type');
  const goal = (condition: unknown): TypedGoal => ({ kind: 'goal', goal: { type, condition } });
  switch (type) {
    case 'gtype_page':
      return goal({ url: text('page_url'), match: text('page_match') });
    case 'gtype_click': {
      const [selector, page] = [text('click_selector'), text('click_page')];
      return goal(page === '' ? { selector } : { selector, page });
    }
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
  }
  // The type is free text: the goal schema rejects unknown types.
  return goal(undefined);
}

const fieldsOf = (type: string): readonly GoalField[] =>
  GOAL_TYPES.find((one) => one.type === type)?.fields ?? [];

export function faultsByField(type: string, faults: readonly FieldFault[]): FormFaults {
  const fields = fieldsOf(type);
  return Object.fromEntries(
    faults.map(({ path, message }) => {
      const isOwnField = path === 'id' || path === 'name' || path === 'type';
      return [isOwnField ? path : (fields.find((field) => field.path === path)?.name ?? ''), message];
    }),
  );
}

/** The first error, with its field's label. */
export function notCounted(type: string, faults: FormFaults): Matches {
  const [[name, message] = ['', '']] = Object.entries(faults);
  const label = fieldsOf(type).find((field) => field.name === name)?.label ?? '';
  return { message: `Not counted yet: ${label} ${message}.`, isWarning: false };
}

export const goalFields = (goal: Goal): GoalFields => ({
  ...EMPTY_GOAL,
  type: goal.type,
  name: goal.name,
  ...conditionFields(goal),
});

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

/** The parameters of an event, or an error message. Empty text means no parameters. */
function readParameters(text: string): object | string {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return 'must be a JSON object such as {"currency": "EUR"}';
    if (Object.hasOwn(value, 'event')) return 'must not contain "event": the event name has its own field';
    return jsonLoss(text, value, 'outside') ?? value;
  } catch (error) {
    if (error instanceof SyntaxError) return `must be a JSON object: ${error.message}`;
    throw error;
  }
}
