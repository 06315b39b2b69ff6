import { z } from 'zod';
import { MAX_LOGIN_PASSWORD_LENGTH, MIN_LOGIN_PASSWORD_LENGTH } from '../auth/login-password';
import { ROLES } from './accounts';

const MAX_NAME_LENGTH = 100;

const name = (what: string) =>
  z
    .string()
    .trim()
    .refine(
      (text) => [...text].length <= MAX_NAME_LENGTH,
      `${what} must have at most ${MAX_NAME_LENGTH} characters.`,
    )
    .refine(
      (text) => !hasInvisible(text),
      `${what} must be a single line without invisible characters, such as control characters and direction marks.`,
    )
    .refine((text) => text === '' || hasVisible(text), `${what} must have at least one visible character.`);

const FIELDS = {
  login: z
    .string()
    .regex(
      /^[A-Za-z0-9_.@-]{1,60}$/,
      'A login must have 1 to 60 characters; only letters, digits and _ . @ - are allowed.',
    ),
  email: z
    .string()
    .trim()
    .max(254, 'An e-mail address must have at most 254 characters.')
    .refine((text) => text === '' || z.email().safeParse(text).success, 'This is not an e-mail address.'),
  displayName: name('A name'),
  role: z.enum(ROLES, `The role must be one of ${ROLES.join(', ')}.`),
  password: z
    .string()
    .min(
      MIN_LOGIN_PASSWORD_LENGTH,
      `A login password must have at least ${MIN_LOGIN_PASSWORD_LENGTH} characters.`,
    )
    .max(
      MAX_LOGIN_PASSWORD_LENGTH,
      `A login password must have at most ${MAX_LOGIN_PASSWORD_LENGTH} characters.`,
    ),
  sites: z.array(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'A site id must consist of letters, digits, _ and -.'),
  ),
  timezone: z
    .string()
    .trim()
    .transform((text, context) => {
      const zone = zoneOf(text);
      if (zone === undefined)
        context.addIssue('A time zone must be a full name such as Europe/Berlin or Asia/Tokyo, or UTC.');
      return zone ?? '';
    }),
  name: name('The name of an application password').min(1, 'An application password needs a name.'),
  appId: z
    .string()
    .trim()
    .refine(
      (text) => text === '' || z.guid().safeParse(text).success,
      'The application id must be a UUID or empty.',
    ),
} as const;

export type AccountField = keyof typeof FIELDS;

const shape = z.object(FIELDS).partial();
export const ACCOUNT_FIELDS: readonly AccountField[] = shape.keyof().options;
export type AccountValues = z.output<typeof shape>;
export type TypedAccountValues = z.input<typeof shape>;

type AccountFaults = Readonly<Partial<Record<AccountField, string>>>;

/** `values` are trimmed. They are complete only if there are no faults. */
export function checkFields(typed: TypedAccountValues): {
  readonly values: AccountValues;
  readonly faults: AccountFaults;
} {
  const { data = {}, error } = shape.safeParse(typed);
  const faults: Partial<Record<AccountField, string>> = {};
  for (const field of ACCOUNT_FIELDS) {
    const issue = error?.issues.find(({ path: [key] }) => key === field);
    if (issue !== undefined) faults[field] = issue.message;
  }
  return { values: data, faults };
}

/** Corrects the letter case of a time zone; an alias (Asia/Calcutta) stays as typed. */
function zoneOf(text: string): string | undefined {
  // The runtime also accepts offsets such as +09:00, which have no daylight saving time.
  if (text.toUpperCase() === 'UTC') return 'UTC';
  if (!/^[A-Za-z]\w*(\/[\w+-]+)+$/.test(text)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

/** Control characters, direction marks, line breaks, lone surrogates and blank characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Scripts whose letters change shape when joined. */
const JOINING_SCRIPTS =
  '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}' +
  '\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}' +
  '\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}';

const ALLOWED_INVISIBLE = new RegExp(
  [
    // A joiner or non-joiner between two letters of a joining script.
    `(?<=[${JOINING_SCRIPTS}])[\\u200c\\u200d](?=[${JOINING_SCRIPTS}])`,
    // The joiner in an emoji sequence.
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    // A variation selector after an emoji, in a keycap or after an ideograph.
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
  ].join('|'),
  'gu',
);

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}\p{Cn}\p{Co}]/u;

const hasInvisible = (text: string): boolean => INVISIBLE.test(text.replace(ALLOWED_INVISIBLE, ''));

const hasVisible = (text: string): boolean => VISIBLE.test(text.replace(ALLOWED_INVISIBLE, ''));
