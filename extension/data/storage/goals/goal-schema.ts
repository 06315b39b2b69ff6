// The types of goals and their conditions.
import { z } from 'zod';
import { markOf } from '../../../../host-shim/extension-api';
import { MAX_GOALS } from '../../../../manifests/reader/schema';
import { strict } from '../field-faults';
import { nameText, plainText, plainValue, refusing } from '../plain-text';
import { patternFault } from './goal-pattern';

const NUMBERED = `must be 1 to ${MAX_GOALS}`;
const MAX_NAME_LENGTH = 200;
const MAX_CONDITION_LENGTH = 2048;
const text = plainText(MAX_CONDITION_LENGTH);

/** Accepts a number or a string, and stores a string, as the first contract does. */
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

/** A key with this name is lost when an object is copied. */
const PROTOTYPE_KEY = '__proto__';

const eventCondition = z
  .unknown()
  .superRefine(
    refusing((condition) =>
      typeof condition === 'object' && condition !== null && Object.hasOwn(condition, PROTOTYPE_KEY)
        ? `${PROTOTYPE_KEY} cannot be the name of a parameter`
        : undefined,
    ),
  )
  .pipe(z.looseObject({ event: text }).superRefine(plainValue(MAX_CONDITION_LENGTH)));

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
    id: z.int().min(1, NUMBERED).max(MAX_GOALS, NUMBERED),
    name: nameText(MAX_NAME_LENGTH),
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

/** Parses a stored goal. Its name is not checked again, since the rules may have been less strict when it was saved. */
export const storedGoal = ({ name, ...row }: { readonly name: string }): Goal => ({
  ...goalSchema.parse({ ...row, name: 'stored' }),
  name,
});

/** A site's goals must have different keys, because names with the same key look alike. */
export const goalNameKey = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

export const markOfGoal = ({ name, type, condition }: Goal): string => markOf([name, type, condition]);
