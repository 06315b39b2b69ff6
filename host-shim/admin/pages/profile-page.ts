// A new login password and "log out everywhere" end this session too, so both redirect to the login page.
import { randomBytes } from 'node:crypto';
import { checkFields } from '../../accounts/account-fields';
import type { AccountTools } from '../../accounts/account-tools';
import { findAccount } from '../../accounts/accounts';
import { sitesOf } from '../../accounts/known-sites';
import { AccountError, changeUser, setLoginPassword, setTimezone } from '../../accounts/users';
import { createLoginGuard } from '../../auth/login-guard';
import { MAX_LOGIN_PASSWORD_LENGTH, MIN_LOGIN_PASSWORD_LENGTH } from '../../auth/login-password';
import { findSecondFactor } from '../../auth/second-factor';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  type Log,
  PageError,
  pageAddress,
} from '../../extension-api';
import { LOGIN_PATH } from '../../server/page-addresses';
import { countSessions, endSessions } from '../../sessions/session-store';
import { createOwnPasswordCheck } from './own-password';
import { createSecondFactorPage } from './second-factor-page';

const SLUG = 'profile';
const ADDRESS = pageAddress(SLUG);
/** Limits attempts by users who may not list accounts, because rejecting an address reveals that an account uses it. */
const NEW_ADDRESSES = { failures: 5, windowSeconds: 3600 };
const ADDRESS_REFUSED = 'That e-mail address cannot be used here; an administrator can help.';

type Faults = Readonly<Record<string, string>>;

interface DetailsForm {
  readonly displayName: string;
  readonly email: string;
  readonly timezone: string;
}

interface ProfileOptions extends AccountTools {
  readonly log: Log;
}

export function profilePage({ clock, hooks, write, log }: ProfileOptions): AdminPage {
  const checkOwnPassword = createOwnPasswordCheck({ write, clock });
  const answerSecondFactor = createSecondFactorPage({ clock, write, log, checkOwnPassword });
  const addressGuard = createLoginGuard('new address', NEW_ADDRESSES, { write, clock });

  async function show(
    { user }: AdminRequest,
    shown: { readonly typed?: DetailsForm; readonly faults?: Faults } = {},
  ): Promise<AdminAnswer> {
    const [account, factor, sessions, sites] = await Promise.all([
      findAccount(write, user.id),
      findSecondFactor(write, user.id),
      countSessions(write, user.id, clock()),
      sitesOf(hooks, user),
    ]);
    const { faults = {}, typed } = shown;
    const stored = { displayName: user.displayName, email: account?.email ?? '', timezone: user.timezone };
    return {
      kind: 'page',
      status: Object.keys(faults).length > 0 ? 400 : 200,
      view: 'host-shim/admin/views/profile',
      data: {
        address: ADDRESS,
        user,
        sites,
        sessions,
        factor,
        createdAt: account?.createdAt ?? null,
        typed: typed ?? stored,
        faults,
        timeZones: [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])],
        minPasswordLength: MIN_LOGIN_PASSWORD_LENGTH,
        maxPasswordLength: MAX_LOGIN_PASSWORD_LENGTH,
      },
      scripts: ['host/profile'],
    };
  }

  /** Whether `email` is an address other than the account's. */
  async function isNewAddress(id: number, email: string): Promise<boolean> {
    const typed = email.trim().toLowerCase();
    return typed !== '' && (await findAccount(write, id))?.email?.toLowerCase() !== typed;
  }

  async function changeDetails(request: AdminRequest): Promise<AdminAnswer> {
    const { form, user } = request;
    const text = (name: string) => form.get(name) ?? '';
    const typed = { displayName: text('displayName'), email: text('email'), timezone: text('timezone') };
    const refuse = (faults: Faults) => show(request, { typed, faults });
    const { faults } = checkFields(typed);
    if (Object.keys(faults).length > 0) return refuse(faults);
    const mayList = user.capabilities.includes('list_users');
    if (!mayList && (await isNewAddress(user.id, typed.email))) {
      const wait = await addressGuard.begin(String(user.id));
      if (wait > 0) return refuse({ email: `Too many e-mail addresses were tried; try again in ${wait} s.` });
      // Every attempt is counted as a failure: accepting an address reveals as much as rejecting one.
      await addressGuard.end(String(user.id), true);
    }
    try {
      await write.transaction(async (trx) => {
        await changeUser(trx, user.id, { displayName: typed.displayName, email: typed.email });
        await setTimezone(trx, user.id, typed.timezone);
      });
    } catch (error) {
      if (!(error instanceof AccountError)) throw error;
      if (error.field === 'email' && !mayList) return refuse({ email: ADDRESS_REFUSED });
      return refuse({ [error.field ?? 'displayName']: error.message });
    }
    return { kind: 'redirect', to: ADDRESS, notice: 'Saved.' };
  }

  async function changePassword(request: AdminRequest): Promise<AdminAnswer> {
    const { form, user } = request;
    const newPassword = form.get('newPassword') ?? '';
    const refuse = (field: string, message: string) => show(request, { faults: { [field]: message } });
    const { faults } = checkFields({ password: newPassword });
    if (faults.password !== undefined) return refuse('newPassword', faults.password);
    if (newPassword !== form.get('repeated')) return refuse('repeated', 'The two new passwords differ.');
    const fault = await checkOwnPassword(user, form.get('oldPassword') ?? '');
    if (fault !== undefined) return refuse('oldPassword', fault);
    await setLoginPassword(write, user.id, newPassword, { randomBytes });
    return { kind: 'redirect', to: `${LOGIN_PATH}?loggedout=password` };
  }

  return {
    slug: SLUG,
    title: 'Profile',
    howTo: 'pages',
    group: 'Account',
    position: 10,
    capability: null,
    takes: { words: 1, post: true },
    async handle(request) {
      const [word] = request.words;
      if (word === 'second-factor') return answerSecondFactor(request);
      if (word !== undefined) throw new PageError(404, 'There is no such page.');
      if (request.method === 'GET') return show(request);
      const action = request.form.get('action');
      if (action === 'details') return changeDetails(request);
      if (action === 'password') return changePassword(request);
      if (action !== 'log-out-everywhere')
        throw new PageError(400, 'The form has no valid action; reload the page and try again.');
      await endSessions(write, request.user.id);
      return { kind: 'redirect', to: `${LOGIN_PATH}?loggedout=everywhere` };
    },
  };
}
