// What the caller says of an application password that shall be made: its name, its application, what it may do less.
// Values of a call -> NewApplicationPassword and what is wrong with which parameter. A restriction is never dropped
// silently: what would be made then is a password that may do everything.
import type { ListedUser } from '../../auth/account-list';
import { isUuid, type NewApplicationPassword } from '../../auth/application-password-store';
import { type RestrictionFaults, readRestrictions } from '../../auth/key-restrictions';
import type { InvalidParam, RouteArgument } from '../../extension-api';
import type { Faults, Values } from '../read-values';
import { faultsOfName, wrong } from './changed-password';
import { numberIn, textIn, textsIn } from './typed-values';

const list = (description: string): RouteArgument => ({
  type: 'array',
  items: { type: 'string' },
  description,
  required: false,
});
const text = (description: string): RouteArgument => ({ type: 'string', description, required: false });

export const NEW_PASSWORD_ARGS: Readonly<Record<string, RouteArgument>> = {
  app_id: text('A UUID that tells which application it is for.'),
  name: { ...text('The name of the application password.'), required: true },
  expires: text('It works before this instant: 2027-01-31T12:00:00, in UTC unless it says an offset.'),
  expires_at: text('The same, as the answer spells it.'),
  sites: list('Tracking ids of the only sites that it may see.'),
  addresses: list('The only addresses, or ranges as 10.0.0.0/8, that it may be used from.'),
  address_ranges: list('The same, as the answer spells it.'),
  rate_share: {
    type: 'integer',
    description: 'Per cent of the calls of its owner that it may use.',
    required: false,
    minimum: 1,
    maximum: 99,
  },
};

/** A parameter, and how the answer spells it. */
const SPELLINGS = [
  ['expires', 'expires_at'],
  ['addresses', 'address_ranges'],
] as const;
/** A fault of the reading -> the parameters that may have said it. */
const PARAMETERS = {
  expires: ['expires', 'expires_at'],
  sites: ['sites'],
  addresses: ['addresses', 'address_ranges'],
  share: ['rate_share'],
} as const satisfies Record<keyof RestrictionFaults, readonly string[]>;

/** The parameters of which an empty text may be a value that got lost on its way. */
export const RESTRICTION_PARAMETERS: readonly string[] = Object.values(PARAMETERS).flat();

interface PasswordFacts {
  readonly now: Date;
  readonly owner: ListedUser;
  readonly known: readonly string[];
}

function* shapeFaults(values: Values): Generator<readonly [string, InvalidParam]> {
  if (values.name !== undefined) yield* faultsOfName(textIn(values, 'name') ?? '');
  const appId = textIn(values, 'app_id');
  if (appId !== undefined && !isUuid(appId)) yield ['app_id', wrong('app_id is not a valid UUID.')];
  for (const [one, other] of SPELLINGS)
    if (values[one] !== undefined && values[other] !== undefined)
      yield [other, wrong(`${other} and ${one} are the same; say one of them.`)];
  // A list of none would otherwise be read as no restriction.
  for (const name of ['expires', 'expires_at', 'sites', 'addresses', 'address_ranges']) {
    const said = textsIn(values, name) ?? [textIn(values, name) ?? 'left out'];
    if (said.every((item) => item.trim() === ''))
      yield [name, wrong(`${name} is empty; leave it out for no restriction.`)];
  }
}

/** What is asked for, or all that is wrong. */
export function newPasswordIn(
  values: Values,
  { now, owner, known }: PasswordFacts,
):
  | { readonly ok: true; readonly asked: NewApplicationPassword }
  | { readonly ok: false; readonly faults: Faults } {
  const read = readRestrictions(
    {
      expires: textIn(values, 'expires') ?? textIn(values, 'expires_at'),
      sites: textsIn(values, 'sites'),
      addresses: (textsIn(values, 'addresses') ?? textsIn(values, 'address_ranges'))?.join(','),
      share: numberIn(values, 'rate_share')?.toString(),
    },
    { now, timezone: 'UTC', sites: owner.sites, known },
  );
  const told: RestrictionFaults = read.ok ? {} : read.faults;
  const restrictionFaults = Object.entries(PARAMETERS).flatMap(([field, names]) => {
    const message = Object.entries(told).find(([name]) => name === field)?.[1];
    const name = names.find((one) => values[one] !== undefined);
    return message === undefined || name === undefined ? [] : [[name, wrong(message)] as const];
  });
  const faults = Object.fromEntries([...restrictionFaults, ...shapeFaults(values)]);
  if (!read.ok || Object.keys(faults).length > 0) return { ok: false, faults };
  const name = textIn(values, 'name') ?? '';
  const appId = textIn(values, 'app_id');
  return { ok: true, asked: { userId: owner.id, name, appId, restrictions: read.restrictions } };
}
