// The person's own account: name, e-mail, time zone, login password, and the way out of every browser at once.
// A new login password and "log out everywhere" end this session too: both lead to the login.
import { randomBytes } from 'node:crypto';
import { checkFields } from '../../auth/account-fields';
import { findLogin } from '../../auth/find-login';
import { createLoginGuard, type LoginGuard } from '../../auth/login-guard';
import {
  checkLoginPassword,
  LEAST_LOGIN_PASSWORD_LENGTH,
  MOST_LOGIN_PASSWORD_LENGTH,
} from '../../auth/login-password';
import { AccountError, changeUser, findAccount, setLoginPassword, setTimezone } from '../../auth/users';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  PageError,
  pageAddress,
} from '../../extension-api';
import { sitesOf } from '../../known-sites';
import type { HostParts } from '../../load-host';
import { LOGIN_PATH } from '../../page-addresses';
import { countSessions, endSessions } from '../../sessions/session-store';

const SLUG = 'profile';
const ADDRESS = pageAddress(SLUG);
/** Somebody else's open browser is no place to guess the password. */
const GUESSES = { failures: 5, windowSeconds: 300 };
/** Whether an address is taken tells who has an account, so those who may not list people cannot try many. */
const NEW_ADDRESSES = { failures: 5, windowSeconds: 3600 };
const ADDRESS_REFUSED = 'That e-mail address cannot be used here; an administrator can help.';

type Faults = Readonly<Record<string, string>>;

interface TypedDetails {
  readonly displayName: string;
  readonly email: string;
  readonly timezone: string;
}

const timeZones = (): readonly string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** All of them at once. */
function faultsOf({ displayName, email, timezone }: TypedDetails): Faults {
  const faults: Record<string, string> = {};
  for (const checked of [checkFields({ displayName }), checkFields({ email }), checkFields({ timezone })]) {
    if (!checked.ok) faults[checked.fault.field] = checked.fault.message;
  }
  return faults;
}

export const profilePage = (parts: HostParts): AdminPage => {
  const guard = createLoginGuard(GUESSES);
  const addresses = createLoginGuard(NEW_ADDRESSES);
  return {
    slug: SLUG,
    title: 'Profile',
    group: 'Account',
    position: 10,
    capability: 'read',
    takes: { post: true },
    async handle(request) {
      if (request.method === 'GET') return show(parts, request);
      const action = request.form.get('action');
      if (action === 'details') return changeDetails(parts, request, addresses);
      if (action === 'password') return changePassword(parts, request, guard);
      if (action === 'log-out-everywhere') {
        await endSessions(parts.database.write, request.user.id);
        return { kind: 'redirect', to: `${LOGIN_PATH}?loggedout=everywhere` };
      }
      throw new PageError(400, 'The form does not say what to do; reload the page and try again.');
    },
  };
};

async function show(
  parts: HostParts,
  { user }: AdminRequest,
  shown: { readonly typed?: TypedDetails; readonly faults?: Faults } = {},
): Promise<AdminAnswer> {
  const { write } = parts.database;
  const [account, sessions, sites] = await Promise.all([
    findAccount(write, user.id),
    countSessions(write, user.id, parts.clock()),
    sitesOf(parts.extensions().hooks, user),
  ]);
  const { faults = {}, typed } = shown;
  return {
    kind: 'page',
    status: Object.keys(faults).length > 0 ? 400 : 200,
    view: 'host-shim/admin/views/profile',
    data: {
      address: ADDRESS,
      user,
      sites,
      sessions,
      createdAt: account?.createdAt ?? null,
      typed: typed ?? {
        displayName: user.displayName,
        email: account?.email ?? '',
        timezone: user.timezone,
      },
      faults,
      timeZones: timeZones(),
      leastLength: LEAST_LOGIN_PASSWORD_LENGTH,
      mostLength: MOST_LOGIN_PASSWORD_LENGTH,
    },
    scripts: ['host/profile'],
  };
}

async function changeDetails(
  parts: HostParts,
  request: AdminRequest,
  addresses: LoginGuard,
): Promise<AdminAnswer> {
  const { form, user } = request;
  const { write } = parts.database;
  const text = (name: string) => form.get(name) ?? '';
  const typed = { displayName: text('displayName'), email: text('email'), timezone: text('timezone') };
  const faults = faultsOf(typed);
  if (Object.keys(faults).length > 0) return show(parts, request, { typed, faults });
  const mayList = user.capabilities.includes('list_users');
  const refuse = (field: string, message: string) =>
    show(parts, request, { typed, faults: { [field]: message } });
  if (!mayList && (await isNewAddress(parts, user.id, typed.email))) {
    const wait = await addresses.begin(String(user.id));
    if (wait > 0) return refuse('email', `Too many e-mail addresses were tried; try again in ${wait} s.`);
    // Every try counts: that an address is free tells as much as that it is taken.
    await addresses.end(String(user.id), true);
  }
  try {
    await write.transaction(async (trx) => {
      await changeUser(trx, user.id, { displayName: typed.displayName, email: typed.email });
      await setTimezone(trx, user.id, typed.timezone);
    });
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    if (error.field === 'email' && !mayList) return refuse('email', ADDRESS_REFUSED);
    return refuse(error.field ?? 'displayName', error.message);
  }
  return { kind: 'redirect', to: ADDRESS, notice: 'Saved.' };
}

/** Whether the text is an e-mail address that the account does not have. */
async function isNewAddress({ database }: HostParts, id: number, email: string): Promise<boolean> {
  const typed = email.trim().toLowerCase();
  return typed !== '' && (await findAccount(database.write, id))?.email?.toLowerCase() !== typed;
}

async function changePassword(
  parts: HostParts,
  request: AdminRequest,
  guard: LoginGuard,
): Promise<AdminAnswer> {
  const { form, user } = request;
  const { write } = parts.database;
  const wanted = form.get('newPassword') ?? '';
  const refuse = (field: string, message: string) => show(parts, request, { faults: { [field]: message } });
  const checked = checkFields({ password: wanted });
  if (!checked.ok) return refuse('newPassword', checked.fault.message);
  if (wanted !== form.get('repeated')) return refuse('repeated', 'That is not the same new password.');
  const wait = await guard.begin(String(user.id));
  if (wait > 0) return refuse('oldPassword', `Too many wrong passwords; try again in ${wait} s.`);
  let isRight = false;
  try {
    const account = await findLogin(write, user.login);
    isRight =
      account?.userId === user.id &&
      (await checkLoginPassword(form.get('oldPassword') ?? '', account.passwordHash));
  } finally {
    await guard.end(String(user.id), !isRight);
  }
  if (!isRight) return refuse('oldPassword', 'That is not your login password.');
  await setLoginPassword(write, user.id, wanted, { randomBytes });
  return { kind: 'redirect', to: `${LOGIN_PATH}?loggedout=password` };
}
