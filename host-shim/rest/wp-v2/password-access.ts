// Permissions for application passwords, with WordPress's messages. Users manage their own (viewers cannot create any).
// list_users is needed to see other users' passwords, and edit_users to change them.
import type { HostRequest, HostUser, Refusal } from '../../extension-api';
import { hostError, RestError, refusalStatus } from '../host-error';
import { notLoggedIn } from './users';

export interface Act {
  readonly code: string;
  readonly message: string;
  readonly changes: boolean;
}

const ofUser = (verb: string, changes: boolean): Act => ({
  code: `rest_cannot_${verb}_application_passwords`,
  message: `Sorry, you are not allowed to ${verb} application passwords for this user.`,
  changes,
});
const toOne = (verb: string, changes: boolean): Act => ({
  code: `rest_cannot_${verb}_application_password`,
  message: `Sorry, you are not allowed to ${verb} this application password.`,
  changes,
});
export const ACTS = {
  list: ofUser('list', false),
  create: ofUser('create', true),
  deleteAll: ofUser('delete', true),
  read: toOne('read', false),
  edit: toOne('edit', true),
  delete: toOne('delete', true),
  introspect: {
    code: 'rest_cannot_introspect_app_password_for_non_authenticated_user',
    message: 'The authenticated application password can only be introspected for the current user.',
    changes: false,
  },
} as const satisfies Record<string, Act>;

const RESTRICTED =
  'This application password is restricted: it cannot create, change or revoke application passwords, and it sees only itself. Use one without restrictions, or the pages.';

type Params = HostRequest['params'];

const isMe = ({ user_id: id }: Params): boolean => id?.toLowerCase() === 'me';

const accountIdOf = (params: Params, user: HostUser): number =>
  isMe(params) ? user.id : Number(params.user_id);

const mayTouchAccount = (user: HostUser, params: Params, act: Act): boolean =>
  (accountIdOf(params, user) === user.id && (act !== ACTS.create || user.capabilities.includes('read'))) ||
  (act !== ACTS.introspect && user.capabilities.includes(act.changes ? 'edit_users' : 'list_users'));

/** A restricted key can only list and read itself. */
const keyAllows = ({ key }: HostUser, { uuid }: Params, act: Act): boolean =>
  !key?.restricted || (!act.changes && (act !== ACTS.read || uuid?.toLowerCase() === key.uuid));

export const permits =
  (act: Act) =>
  (user: HostUser, params: Params): boolean =>
    mayTouchAccount(user, params, act) && keyAllows(user, params, act);

export const refuseAct =
  (act: Act) =>
  ({ credentialsAllowed, params, user }: HostRequest): Refusal => {
    if (!credentialsAllowed)
      return hostError(
        501,
        'application_passwords_disabled',
        'Application passwords are not available: credentials are accepted over HTTPS only.',
      );
    if (user === null && isMe(params)) return notLoggedIn();
    const { code, message } = act;
    return user === null || !mayTouchAccount(user, params, act)
      ? hostError(refusalStatus(user), code, message)
      : hostError(403, code, RESTRICTED);
  };

/** The caller and the account id in the path. Throws a RestError if credentials are not allowed on this connection. */
export function findCaller(
  request: HostRequest,
  act: Act,
): { readonly user: HostUser; readonly accountId: number } {
  const { user, params, credentialsAllowed } = request;
  if (user === null || !credentialsAllowed) throw new RestError(refuseAct(act)(request));
  return { user, accountId: accountIdOf(params, user) };
}
