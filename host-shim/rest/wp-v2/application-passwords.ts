// /wp/v2/users/{user_id}/application-passwords, as in WordPress, plus restrictions. Shared links are not included.
import { z } from 'zod';
import type { AccountTools } from '../../accounts/account-tools';
import { knownSites } from '../../accounts/known-sites';
import { issuePassword, revokePasswords } from '../../accounts/passwords';
import { showSecret } from '../../auth/application-password';
import {
  type ApplicationPassword,
  findApplicationPassword,
  listApplicationPasswords,
  renameApplicationPassword,
} from '../../auth/application-password-store';
import { grantableLevels } from '../../auth/key-levels';
import {
  type CheckedRoute,
  defineRoute,
  type HostRequest,
  type Refusal,
  type RouteDefinition,
  type RouteOutput,
} from '../../extension-api';
import { hostError, invalidParams, RestError } from '../host-error';
import { ACTS, type Act, findCaller, permits, refuseAct } from './password-access';
import {
  accountInput,
  changeFaults,
  newPasswordInput,
  passwordInput,
  readSentRestrictions,
  renameInput,
} from './password-input';
import { passwordAddress, passwordItem, passwordOutput } from './password-item';
import { accountOf, invalidUserId } from './users';

const COLLECTION = '/users/{user_id}/application-passwords';
const ONE = `${COLLECTION}/{uuid}`;

const notFound = (): Refusal =>
  hostError(404, 'rest_application_password_not_found', 'Application password not found.');

export function applicationPasswordsRoutes({
  clock,
  write,
  hooks,
}: AccountTools): readonly RouteDefinition[] {
  async function findOwner(request: HostRequest, act: Act) {
    const owner = await accountOf(write, findCaller(request, act).accountId);
    if (owner === undefined) throw new RestError(invalidUserId());
    return owner;
  }

  async function findOne(request: HostRequest, act: Act) {
    const { id: userId } = await findOwner(request, act);
    const found = await findApplicationPassword(write, userId, request.params.uuid ?? '');
    if (found === undefined || found.opens !== null) throw new RestError(notFound());
    return { userId, found };
  }

  const showOne = (password: ApplicationPassword, userId: number, request: HostRequest) =>
    ({ status: 200, body: passwordItem(password, userId, request) }) as const;

  async function readRestrictions(request: HostRequest, sent: Partial<z.output<typeof newPasswordInput>>) {
    const owner = await findOwner(request, ACTS.create);
    const known = (await knownSites(hooks)).map(({ trackingId }) => trackingId);
    const levels = grantableLevels(owner.capabilities, request.user?.capabilities ?? []);
    return { owner, read: readSentRestrictions(sent, { now: clock(), owner, known, levels }) };
  }

  const route = <Input extends z.ZodObject, const Output extends RouteOutput>(
    act: Act,
    definition: Pick<
      CheckedRoute<Input, Output>,
      'path' | 'methods' | 'summary' | 'input' | 'output' | 'check' | 'handle'
    >,
  ): RouteDefinition =>
    defineRoute({
      // Revoking a password must always be possible.
      rateLimit: act === ACTS.create || act === ACTS.edit ? 'per-user' : 'none',
      checkedBy: 'host',
      permission: permits(act),
      refuse: refuseAct(act),
      ...definition,
    });

  return [
    route(ACTS.list, {
      path: COLLECTION,
      methods: ['GET'],
      summary: 'An account’s application passwords.',
      input: z.object(accountInput),
      output: { 200: z.array(passwordOutput) },
      async handle(request) {
        const { id } = await findOwner(request, ACTS.list);
        const key = request.user?.key;
        const all = (await listApplicationPasswords(write, id)).filter(({ opens }) => opens === null);
        const seen = key?.restricted ? all.filter(({ uuid }) => uuid === key.uuid) : all;
        return { status: 200, body: seen.map((password) => passwordItem(password, id, request)) };
      },
    }),
    route(ACTS.create, {
      path: COLLECTION,
      methods: ['POST'],
      summary: 'Creates an application password. Only this response contains its secret.',
      input: newPasswordInput,
      output: { 201: passwordOutput },
      async check(request) {
        const { read } = await readRestrictions(request, request.values);
        return read.ok ? {} : read.faults;
      },
      async handle(request) {
        const { name, app_id: appId } = request.values;
        const { owner, read } = await readRestrictions(request, request.values);
        if (!read.ok) return invalidParams(read.faults);
        const requested = { userId: owner.id, name, appId, restrictions: read.restrictions };
        const { password, secret } = await issuePassword({ write, clock, hooks }, requested);
        return {
          status: 201,
          headers: { Location: passwordAddress(request.restRoot, owner.id, password.uuid) },
          body: { ...passwordItem(password, owner.id, request), password: showSecret(secret) },
        };
      },
    }),
    route(ACTS.deleteAll, {
      path: COLLECTION,
      methods: ['DELETE'],
      summary: 'Revokes all of an account’s application passwords, but not its shared links.',
      input: z.object(accountInput),
      output: { 200: z.object({ deleted: z.boolean(), count: z.int() }) },
      async handle(request) {
        const { id } = await findOwner(request, ACTS.deleteAll);
        const revoked = await revokePasswords({ write, hooks }, id, 'programs');
        return { status: 200, body: { deleted: true, count: revoked.length } };
      },
    }),
    route(ACTS.introspect, {
      path: `${COLLECTION}/introspect`,
      methods: ['GET'],
      summary: 'The application password used for this call.',
      input: z.object(accountInput),
      output: { 200: passwordOutput },
      async handle(request) {
        const { user, accountId } = findCaller(request, ACTS.introspect);
        if (user.key === null)
          return hostError(
            404,
            'rest_no_authenticated_app_password',
            'Cannot introspect application password.',
          );
        const found = await findApplicationPassword(write, accountId, user.key.uuid);
        return found === undefined ? notFound() : showOne(found, accountId, request);
      },
    }),
    route(ACTS.read, {
      path: ONE,
      methods: ['GET'],
      summary: 'One application password.',
      input: z.object(passwordInput),
      output: { 200: passwordOutput },
      async handle(request) {
        const { userId, found } = await findOne(request, ACTS.read);
        return showOne(found, userId, request);
      },
    }),
    route(ACTS.edit, {
      path: ONE,
      methods: ['POST', 'PUT', 'PATCH'],
      summary: 'Renames an application password. Its restrictions cannot be changed.',
      input: renameInput,
      output: { 200: passwordOutput },
      async check(request) {
        const { userId, found } = await findOne(request, ACTS.edit);
        return changeFaults(request.values, passwordItem(found, userId, request));
      },
      async handle(request) {
        const { userId, found } = await findOne(request, ACTS.edit);
        const { name } = request.values;
        if (name === undefined) return showOne(found, userId, request);
        const renamed = await renameApplicationPassword(write, userId, found.uuid, name);
        return renamed === undefined ? notFound() : showOne(renamed, userId, request);
      },
    }),
    route(ACTS.delete, {
      path: ONE,
      methods: ['DELETE'],
      summary: 'Revokes an application password.',
      input: z.object(passwordInput),
      output: { 200: z.object({ deleted: z.boolean(), previous: passwordOutput }) },
      async handle(request) {
        const { userId, found } = await findOne(request, ACTS.delete);
        const [revoked] = await revokePasswords({ write, hooks }, userId, [found.uuid]);
        if (revoked === undefined) return notFound();
        return { status: 200, body: { deleted: true, previous: passwordItem(revoked, userId, request) } };
      },
    }),
  ];
}
