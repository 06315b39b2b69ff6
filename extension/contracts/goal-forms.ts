// Owns the two ways in which contracts tell a goal: a condition as text (initial level), or as an object (later level).
// Both are told of every goal, in whichever form its site defined it.
import type { GuideGoal } from '../guide/guide';

/** What goals of the initial level are called later, and the object behind their text. */
const LATER_FORMS: Readonly<Record<string, (condition: unknown) => Omit<GuideGoal, 'id' | 'name'>>> = {
  url_match: (url) => ({ type: 'gtype_page', condition: { url, match: 'contains' } }),
  click: (selector) => ({ type: 'gtype_click', condition: { selector } }),
  scroll_depth: (depth) => ({ type: 'scroll_depth', condition: { depth: Number(depth) } }),
};

/** The goal with an object as its condition. */
export function laterGoal({ id, name, type, condition }: GuideGoal): GuideGoal {
  return { id, name, ...(LATER_FORMS[type]?.(condition) ?? { type, condition }) };
}

/** Later types by their initial name, and the field of the object that says most. */
const INITIAL_FORMS: Readonly<Record<string, { readonly type: string; readonly field: string }>> = {
  gtype_page: { type: 'url_match', field: 'url' },
  gtype_click: { type: 'click', field: 'selector' },
  gtype_event: { type: 'event', field: 'event' },
};

/** The goal with a text as its condition: a part of the URL, a selector, a depth, or the name of an event. */
export function initialGoal({ id, name, type, condition }: GuideGoal): GuideGoal {
  const form = INITIAL_FORMS[type];
  if (form === undefined) return { id, name, type, condition: String(condition) };
  const field = new Map(Object.entries(Object(condition))).get(form.field);
  return { id, name, type: form.type, condition: String(field) };
}
