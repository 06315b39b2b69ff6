// The person's own application passwords: make one and see it once, list, rename, revoke one or all.
// A revocation is asked for on a page of its own, so that it needs no script.
import {
  type ApplicationPassword,
  findApplicationPassword,
  listApplicationPasswords,
  renameApplicationPassword,
} from '../../auth/application-password-store';
import { AccountError } from '../../auth/users';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  type KnownSite,
  PageError,
  pageAddress,
} from '../../extension-api';
import { sitesOf } from '../../known-sites';
import type { HostParts } from '../../load-host';
import { revokePasswords } from '../../revoke-passwords';
import {
  makePassword,
  type NewPassword,
  NOTHING_TYPED,
  type PasswordFaults,
  type TypedPassword,
  typedPassword,
} from './make-password';
import { askToRevoke } from './question';

const SLUG = 'application-passwords';
const ADDRESS = pageAddress(SLUG);
const VIEWS = 'host-shim/admin/views';
const NOTHING_LEFT = 'There was nothing left to revoke.';

/** A row of the list. `siteNames` null = all that its owner sees. */
export interface ShownPassword extends ApplicationPassword {
  readonly ended: boolean;
  readonly siteNames: readonly string[] | null;
}

export const applicationPasswordsPage = (parts: HostParts): AdminPage => ({
  slug: SLUG,
  title: 'Application passwords',
  group: 'Account',
  position: 20,
  capability: 'read',
  takes: { words: 2, post: true },
  async handle(request) {
    const [word, ...rest] = request.words;
    if (word === 'revoke-all' && rest.length === 0) return revokeAll(parts, request);
    if (word !== undefined) return onePassword(parts, request, word, rest);
    return request.method === 'POST' ? create(parts, request) : listPage(parts, request);
  },
});

interface Shown {
  readonly typed?: TypedPassword;
  readonly faults?: PasswordFaults;
  readonly made?: NewPassword;
}

async function listPage(parts: HostParts, { user }: AdminRequest, shown: Shown = {}): Promise<AdminAnswer> {
  const { typed = NOTHING_TYPED, faults = {}, made } = shown;
  const [passwords, sites] = await Promise.all([
    listApplicationPasswords(parts.database.write, user.id),
    sitesOf(parts.extensions().hooks, user),
  ]);
  return {
    kind: 'page',
    status: Object.keys(faults).length > 0 ? 400 : 200,
    view: `${VIEWS}/application-passwords`,
    data: {
      passwords: passwords.map((password) => shownPassword(password, sites, parts.clock())),
      sites,
      typed,
      faults,
      made,
    },
  };
}

function shownPassword(password: ApplicationPassword, known: readonly KnownSite[], now: Date): ShownPassword {
  const { expiresAt, sites } = password.restrictions;
  const nameOf = (id: string) => known.find(({ trackingId }) => trackingId === id)?.name ?? id;
  return {
    ...password,
    ended: expiresAt !== null && expiresAt <= now,
    siteNames: sites?.map(nameOf) ?? null,
  };
}

async function create(parts: HostParts, request: AdminRequest): Promise<AdminAnswer> {
  const typed = typedPassword(request.form);
  const made = await makePassword(parts, request, typed);
  return listPage(parts, request, made.ok ? { made: made.shown } : { typed, faults: made.faults });
}

async function onePassword(
  parts: HostParts,
  request: AdminRequest,
  uuid: string,
  [word]: readonly string[],
): Promise<AdminAnswer> {
  const password = await findApplicationPassword(parts.database.write, request.user.id, uuid);
  if (password === undefined)
    throw new PageError(404, 'You have no such application password; it may be revoked already.');
  const isChange = request.method === 'POST';
  if (word === 'revoke') return isChange ? revokeOne(parts, request, uuid) : askFor(request, [password]);
  if (word !== undefined) throw new PageError(404, 'There is no such page.');
  return isChange
    ? rename(parts, request, password)
    : renamePage(parts, request, password, { name: password.name });
}

async function renamePage(
  parts: HostParts,
  { user }: AdminRequest,
  password: ApplicationPassword,
  typed: { name: string; fault?: string },
): Promise<AdminAnswer> {
  return {
    kind: 'page',
    status: typed.fault === undefined ? 200 : 400,
    title: `Application password “${password.name}”`,
    view: `${VIEWS}/application-password`,
    data: {
      password: shownPassword(password, await sitesOf(parts.extensions().hooks, user), parts.clock()),
      ...typed,
    },
  };
}

async function rename(
  parts: HostParts,
  request: AdminRequest,
  password: ApplicationPassword,
): Promise<AdminAnswer> {
  const name = request.form.get('name') ?? '';
  const { write } = parts.database;
  try {
    const renamed = await renameApplicationPassword(write, request.user.id, password.uuid, name);
    return { kind: 'redirect', to: ADDRESS, notice: `Renamed to “${renamed?.name ?? name}”.` };
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    return renamePage(parts, request, password, { name, fault: error.message });
  }
}

const askFor = (
  { user }: AdminRequest,
  passwords: readonly ApplicationPassword[],
  title = 'Revoke an application password',
): AdminAnswer => askToRevoke(passwords, title, { cancel: ADDRESS, zone: user.timezone });

async function revokeOne(parts: HostParts, { user }: AdminRequest, uuid: string): Promise<AdminAnswer> {
  const [gone] = await revokePasswords(
    { write: parts.database.write, hooks: parts.extensions().hooks },
    user.id,
    { uuid },
  );
  const notice = gone === undefined ? NOTHING_LEFT : `Revoked: “${gone.name}”.`;
  return { kind: 'redirect', to: ADDRESS, notice };
}

async function revokeAll(parts: HostParts, request: AdminRequest): Promise<AdminAnswer> {
  const { user, method } = request;
  if (method === 'GET') {
    const passwords = await listApplicationPasswords(parts.database.write, user.id);
    if (passwords.length > 0) return askFor(request, passwords, 'Revoke all application passwords');
    return { kind: 'redirect', to: ADDRESS, notice: NOTHING_LEFT };
  }
  const { length } = await revokePasswords(
    { write: parts.database.write, hooks: parts.extensions().hooks },
    user.id,
    'all',
  );
  const what = length === 1 ? '1 application password' : `${length} application passwords`;
  return { kind: 'redirect', to: ADDRESS, notice: length === 0 ? NOTHING_LEFT : `Revoked: ${what}.` };
}
