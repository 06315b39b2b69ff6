// Parameters for creating and changing application passwords. An invalid restriction is always refused: ignoring it would create
// an unrestricted password.
import { z } from 'zod';
import { checkFields } from '../../accounts/account-fields';
import type { ListedUser } from '../../accounts/accounts';
import { isUuid } from '../../auth/application-password-store';
import {
  type KeyRestrictions,
  type RestrictionFacts,
  type RestrictionFaults,
  readRestrictions,
} from '../../auth/key-restrictions';
import type { InvalidParam } from '../../extension-api';
import type { Faults } from '../read-input';

/** WordPress's pattern, including its escapes: clients look up routes by the exact text of the pattern. */
const UUID_PATTERN = '[\\w\\-]+';

export const accountInput = {
  user_id: z
    .string()
    .regex(/^(?:[\d]+|me)$/i)
    .describe('Id of the account, or me.'),
};
export const passwordInput = {
  ...accountInput,
  uuid: z
    .string()
    .regex(new RegExp(`^${UUID_PATTERN}$`))
    .describe('UUID of the application password.'),
};

const ignored = z.unknown().optional().readonly();
/** Accepted and ignored, so that clients can send back an entire item. */
const shownInput = {
  context: ignored,
  uuid: ignored,
  created: ignored,
  last_used: ignored,
  last_ip: ignored,
  password: ignored,
};

const invalid = (message: string): InvalidParam => ({ code: 'rest_invalid_param', message, data: null });

const passwordName = z.string().superRefine((name, context) => {
  if (name.trim() === '') {
    const message = 'An application name is required to create an application password.';
    context.addIssue({ code: 'custom', message, params: { code: 'application_password_empty_name' } });
    return;
  }
  const { faults } = checkFields({ name });
  if (faults.name !== undefined) context.addIssue(faults.name);
});

const isBlank = (text: string) => text.trim() === '';

/** An empty restriction is more likely a lost value than an intentional one. */
const restriction = <Schema extends z.ZodType>(name: string, schema: Schema, description: string) =>
  schema
    .refine(
      (value) =>
        !(Array.isArray(value) ? value : [value]).every((item) => typeof item === 'string' && isBlank(item)),
      `${name} is empty; leave it out for no restriction.`,
    )
    .optional()
    .meta({ description, emptyIsSent: true });

const texts = z.array(z.string());

export const newPasswordInput = z.strictObject({
  ...shownInput,
  ...accountInput,
  app_id: z
    .string()
    .refine(isUuid, 'app_id is not a valid UUID.')
    .optional()
    .describe('The UUID of the application that will use the password.'),
  name: passwordName.describe('The name of the application password.'),
  expires: restriction(
    'expires',
    z.string(),
    'When the password expires: a time such as 2027-01-31T12:00:00, in UTC unless it has an offset.',
  ),
  expires_at: restriction('expires_at', z.string(), 'The same as expires, with the name used in responses.'),
  sites: restriction('sites', texts, 'Restricts the application password to the sites with these ids.'),
  addresses: restriction(
    'addresses',
    texts,
    'Restricts the application password to these addresses, or ranges such as 10.0.0.0/8.',
  ),
  address_ranges: restriction(
    'address_ranges',
    texts,
    'The same as addresses, with the name used in responses.',
  ),
  rate_share: restriction(
    'rate_share',
    z.int().min(1).max(99),
    'Percentage of the owner’s rate limit that the application password may use.',
  ),
  level: restriction(
    'level',
    z.string(),
    'The level. Default: everything that the owner may do, or read if the application password is restricted.',
  ),
});

const fixed = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().describe('Cannot be changed; accepted with its current value.');
const fixedInput = {
  app_id: fixed(z.string()),
  expires_at: fixed(z.string()),
  sites: fixed(texts),
  address_ranges: fixed(texts),
  rate_share: fixed(z.int()),
  level: fixed(z.string()),
};

export const renameInput = z.strictObject({
  ...shownInput,
  ...passwordInput,
  name: passwordName.optional().describe('A new name. Default: unchanged.'),
  ...fixedInput,
});

/** Returns one error for each changed value except the name. `item` is the current state. */
export function changeFaults(
  sent: Readonly<Record<string, unknown>>,
  item: Readonly<Record<string, unknown>>,
): Faults {
  const changed = Object.keys(fixedInput).filter(
    (name) => sent[name] !== undefined && JSON.stringify(sent[name]) !== JSON.stringify(item[name]),
  );
  return Object.fromEntries(
    changed.map((name) => [name, invalid(`${name} cannot be changed; create another application password.`)]),
  );
}

/** The parameters of each restriction, of which only one may be sent. */
const PARAMETERS = {
  expires: ['expires', 'expires_at'],
  sites: ['sites'],
  addresses: ['addresses', 'address_ranges'],
  share: ['rate_share'],
  level: ['level'],
} as const satisfies Record<keyof RestrictionFaults, readonly string[]>;

/** Times without an offset are UTC. */
export function readSentRestrictions(
  sent: Partial<z.output<typeof newPasswordInput>>,
  {
    now,
    owner,
    known,
    levels,
  }: Pick<RestrictionFacts, 'known' | 'levels' | 'now'> & { readonly owner: ListedUser },
):
  | { readonly ok: true; readonly restrictions: KeyRestrictions }
  | { readonly ok: false; readonly faults: Faults } {
  const read = readRestrictions(
    {
      expires: sent.expires ?? sent.expires_at,
      sites: sent.sites,
      addresses: (sent.addresses ?? sent.address_ranges)?.join(','),
      share: sent.rate_share?.toString(),
      level: sent.level,
    },
    { now, timezone: 'UTC', sites: owner.sites, known, levels },
  );
  const faults: Record<string, InvalidParam> = {};
  for (const [restriction, names] of Object.entries(PARAMETERS)) {
    const [first, second] = names.filter((name) => sent[name] !== undefined);
    const message = read.ok ? undefined : new Map(Object.entries(read.faults)).get(restriction);
    if (first !== undefined && message !== undefined) faults[first] = invalid(message);
    if (first !== undefined && second !== undefined)
      faults[second] = invalid(`${second} and ${first} mean the same; send only one of them.`);
  }
  return read.ok && Object.keys(faults).length === 0 ? read : { ok: false, faults };
}
