// The types of goals, and the condition of each.
import { z } from 'zod';
import { MOST_GOALS } from '../../../../manifests/reader/schema';
import { strict } from '../field-faults';
import { markOf } from '../form-mark';
import { nameText, plainText, plainValue } from '../plain-text';
import { patternFault } from './goal-pattern';

const NUMBERED = `must be 1 to ${MOST_GOALS}`;
const LONGEST_NAME = 200;
const LONGEST_CONDITION = 2048;
const text = plainText(LONGEST_CONDITION);

/** A depth may be written as a number. It is stored as text, as in the first contract. */
const depth = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value),
  z.int().min(1).max(100).transform(String),
);

const pageCondition = strict({
  url: text,
  match: z.enum(['exact', 'prefix', 'contains', 'regex']),
}).superRefine(({ url, match }, context) => {
  const message = match === 'regex' ? patternFault(url) : undefined;
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['url'], message });
});

/** Copying an object loses a key with this name. */
const LOST_KEY = '__proto__';

const eventCondition = z
  .unknown()
  .superRefine((condition, context) => {
    if (typeof condition !== 'object' || condition === null || !Object.hasOwn(condition, LOST_KEY)) return;
    const message = `${LOST_KEY} cannot be the name of a parameter here`;
    context.addIssue({ code: 'custom', message });
  })
  .pipe(z.looseObject({ event: text }).superRefine(plainValue(LONGEST_CONDITION)));

const conditions = {
  gtype_page: pageCondition,
  gtype_click: strict({ page: text.optional(), selector: text }),
  gtype_event: eventCondition,
  url_match: text,
  click: text,
  scroll_depth: depth,
} as const;

const goal = <T extends keyof typeof conditions>(type: T) =>
  strict({
    id: z.int().min(1, NUMBERED).max(MOST_GOALS, NUMBERED),
    name: nameText(LONGEST_NAME),
    type: z.literal(type),
    condition: conditions[type],
  });

export const goalSchema = z.discriminatedUnion('type', [
  goal('gtype_page'),
  goal('gtype_click'),
  goal('gtype_event'),
  goal('url_match'),
  goal('click'),
  goal('scroll_depth'),
]);

export type Goal = z.infer<typeof goalSchema>;

/** A stored goal. Its name is not checked again, because the rule may have been weaker when it was saved. */
export const storedGoal = ({ name, ...row }: { readonly name: string }): Goal => ({
  ...goalSchema.parse({ ...row, name: 'stored' }),
  name,
});

/** Two goals of a site must not have the same key: their names would look the same. */
export const goalNameKey = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

/** The mark of a form that shows this goal. */
export const markOfGoal = ({ name, type, condition }: Goal): string => markOf([name, type, condition]);
