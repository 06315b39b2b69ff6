// /wp/v2/users/{user_id}/application-passwords: list, make, rename, revoke, and tell which one this call was made with.
// A restricted key sees itself alone and changes nothing. Bodies, statuses and codes are WordPress's.
import { randomBytes } from 'node:crypto';
import type { ListedUser } from '../../auth/account-list';
import {
  createApplicationPassword,
  findApplicationPassword,
  listApplicationPasswords,
  renameApplicationPassword,
} from '../../auth/application-password-store';
import type { HostRequest, HostResponse, RouteDefinition } from '../../extension-api';
import { knownSites } from '../../known-sites';
import type { HostParts } from '../../load-host';
import { revokePasswords } from '../../revoke-passwords';
import { hostError, invalidParams, RestError } from '../host-error';
import { passwordAddress, passwordItem } from './application-password-item';
import { changeFaults, RENAME_ARGS } from './changed-password';
import { NEW_PASSWORD_ARGS, newPasswordIn, RESTRICTION_PARAMETERS } from './new-password';
import { meantAccount, permits, refuseWish, WISHES, type Wish } from './password-wishes';
import { textIn } from './typed-values';
import { accountOf, invalidUserId } from './users-routes';

const COLLECTION = '/users/{user_id}/application-passwords';
const USER_PARAM = { user_id: '(?:[\\d]+|me)' };
const ONE_PARAMS = { ...USER_PARAM, uuid: '[\\w\\-]+' };

/** What WordPress shows of one and does not take: an item that is sent back whole is no fault. */
const SHOWN_ONLY = ['context', 'uuid', 'created', 'last_used', 'last_ip', 'password'] as const;

const notFound = (): HostResponse =>
  hostError(404, 'rest_application_password_not_found', 'Application password not found.');

export function applicationPasswordsRoutes(parts: HostParts): readonly RouteDefinition[] {
  const { clock, database } = parts;
  const { write } = database;

  /** The account that is meant. */
  async function ownerOf(request: HostRequest, wish: Wish): Promise<ListedUser> {
    const { id } = meantAccount(request, wish);
    const account = await accountOf(write, id);
    if (account === undefined) throw new RestError(invalidUserId());
    return account;
  }

  const hooks = () => parts.extensions().current().hooks;

  async function readNew(request: HostRequest) {
    const owner = await ownerOf(request, WISHES.create);
    const known = (await knownSites(parts)).map(({ trackingId }) => trackingId);
    return { owner, read: newPasswordIn(request.values, { now: clock(), owner, known }) };
  }

  async function create(request: HostRequest): Promise<HostResponse> {
    const { owner, read } = await readNew(request);
    if (!read.ok) throw new RestError(invalidParams(read.faults));
    const { password, secret } = await createApplicationPassword(write, read.asked, { clock, randomBytes });
    await hooks().doAction('application_password_created', { userId: owner.id, uuid: password.uuid });
    const { restRoot } = request;
    return {
      status: 201,
      headers: { Location: passwordAddress(restRoot, owner.id, password.uuid) },
      body: passwordItem(password, { restRoot, userId: owner.id, secret }),
    };
  }

  async function introspect(request: HostRequest): Promise<HostResponse> {
    const { user, id } = meantAccount(request, WISHES.introspect);
    if (user.key === null)
      return hostError(404, 'rest_no_authenticated_app_password', 'Cannot introspect application password.');
    const found = await findApplicationPassword(write, id, user.key.uuid);
    return found === undefined ? notFound() : one(request, id, found);
  }

  const one = (
    { restRoot }: HostRequest,
    userId: number,
    password: Parameters<typeof passwordItem>[0],
  ): HostResponse => ({ status: 200, body: passwordItem(password, { restRoot, userId }) });

  /** The one in the address; what is no uuid belongs to none. */
  async function findOne(request: HostRequest, wish: Wish) {
    const { id } = await ownerOf(request, wish);
    const { uuid = '' } = request.params;
    const found = await findApplicationPassword(write, id, uuid);
    if (found === undefined) throw new RestError(notFound());
    return { id, found };
  }

  const route = (
    wish: Wish,
    definition: Pick<RouteDefinition, 'path' | 'methods' | 'summary'> & Partial<RouteDefinition>,
    handle: RouteDefinition['handle'],
  ): RouteDefinition => ({
    args: {},
    params: definition.path.includes('{uuid}') ? ONE_PARAMS : USER_PARAM,
    permission: permits(wish),
    rateLimit: 'none',
    input: 'parameters',
    refuse: refuseWish(wish),
    ...definition,
    handle,
  });

  return [
    route(
      WISHES.list,
      { path: COLLECTION, methods: ['GET'], summary: 'The application passwords of an account.' },
      async (request) => {
        const { id: userId } = await ownerOf(request, WISHES.list);
        const { restRoot, user } = request;
        const alone = user?.key?.restricted === true ? user.key.uuid : undefined;
        const all = await listApplicationPasswords(write, userId);
        const passwords = all.filter(({ uuid }) => alone === undefined || uuid === alone);
        return {
          status: 200,
          body: passwords.map((password) => passwordItem(password, { restRoot, userId })),
        };
      },
    ),
    route(
      WISHES.create,
      {
        path: COLLECTION,
        methods: ['POST'],
        summary: 'Makes an application password; the answer shows it once.',
        args: NEW_PASSWORD_ARGS,
        rateLimit: 'per-user',
        refuseUnknown: { except: SHOWN_ONLY },
        refuseEmpty: RESTRICTION_PARAMETERS,
        check: async (request) => {
          const { read } = await readNew(request);
          return read.ok ? {} : read.faults;
        },
      },
      create,
    ),
    route(
      WISHES.deleteAll,
      { path: COLLECTION, methods: ['DELETE'], summary: 'Revokes all of them.' },
      async (request) => {
        const owner = await ownerOf(request, WISHES.deleteAll);
        const gone = await revokePasswords(parts, owner.id, 'all');
        return { status: 200, body: { deleted: true, count: gone.length } };
      },
    ),
    route(
      WISHES.introspect,
      {
        path: `${COLLECTION}/introspect`,
        methods: ['GET'],
        summary: 'The application password that this call was made with.',
      },
      introspect,
    ),
    route(
      WISHES.read,
      { path: `${COLLECTION}/{uuid}`, methods: ['GET'], summary: 'One application password.' },
      async (request) => {
        const { id, found } = await findOne(request, WISHES.read);
        return one(request, id, found);
      },
    ),
    route(
      WISHES.edit,
      {
        path: `${COLLECTION}/{uuid}`,
        methods: ['POST', 'PUT', 'PATCH'],
        summary: 'Renames it; the restrictions of one that is there stay as they are.',
        args: RENAME_ARGS,
        rateLimit: 'per-user',
        refuseUnknown: { except: SHOWN_ONLY },
        check: async (request) => {
          const { id, found } = await findOne(request, WISHES.edit);
          const { restRoot } = request;
          return changeFaults(request.values, passwordItem(found, { restRoot, userId: id }));
        },
      },
      async (request) => {
        const { id, found } = await findOne(request, WISHES.edit);
        const name = textIn(request.values, 'name');
        if (name === undefined) return one(request, id, found);
        const renamed = await renameApplicationPassword(write, id, found.uuid, name);
        return renamed === undefined ? notFound() : one(request, id, renamed);
      },
    ),
    route(
      WISHES.delete,
      { path: `${COLLECTION}/{uuid}`, methods: ['DELETE'], summary: 'Revokes it.' },
      async (request) => {
        const { id, found } = await findOne(request, WISHES.delete);
        const [gone] = await revokePasswords(parts, id, { uuid: found.uuid });
        if (gone === undefined) return notFound();
        const previous = passwordItem(gone, { restRoot: request.restRoot, userId: id });
        return { status: 200, body: { deleted: true, previous } };
      },
    ),
  ];
}
