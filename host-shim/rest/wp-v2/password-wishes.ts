// Who may do what to the application passwords of whom, and WordPress's words for whoever may not.
// Everybody has their own; those of others are seen with list_users and changed with edit_users.
import type { HostRequest, HostResponse, HostUser } from '../../extension-api';
import { hostError, RestError, refusalStatus } from '../host-error';
import { notLoggedIn } from './users-routes';

/** What a call wants of them, and how WordPress says that it may not. */
export interface Wish {
  readonly code: string;
  readonly message: string;
  readonly changes: boolean;
}

const forThisUser = (act: string, changes: boolean): Wish => ({
  code: `rest_cannot_${act}_application_passwords`,
  message: `Sorry, you are not allowed to ${act} application passwords for this user.`,
  changes,
});
const thisOne = (act: string, changes: boolean): Wish => ({
  code: `rest_cannot_${act}_application_password`,
  message: `Sorry, you are not allowed to ${act} this application password.`,
  changes,
});
export const WISHES = {
  list: forThisUser('list', false),
  create: forThisUser('create', true),
  deleteAll: forThisUser('delete', true),
  read: thisOne('read', false),
  edit: thisOne('edit', true),
  delete: thisOne('delete', true),
  introspect: {
    code: 'rest_cannot_introspect_app_password_for_non_authenticated_user',
    message: 'The authenticated application password can only be introspected for the current user.',
    changes: false,
  },
} as const satisfies Record<string, Wish>;

const RESTRICTED =
  'This application password is a restricted one: it may neither make nor change nor revoke application passwords, and of those that there are it sees itself alone. Use one without restrictions, or the pages.';

const unavailable = (): HostResponse =>
  hostError(
    501,
    'application_passwords_disabled',
    'Application passwords are not available: credentials are accepted over HTTPS only.',
  );

type Params = HostRequest['params'];

function idOf({ user_id: word = '' }: Params, user: HostUser): number {
  return word.toLowerCase() === 'me' ? user.id : Number(word);
}

const isAboutOther = (user: HostUser, params: Params, wish: Wish): boolean =>
  idOf(params, user) !== user.id &&
  (wish === WISHES.introspect || !user.capabilities.includes(wish.changes ? 'edit_users' : 'list_users'));

/** A restricted key lists and reads itself alone. */
const isTooMuchForKey = ({ key }: HostUser, { uuid }: Params, wish: Wish): boolean =>
  key?.restricted === true && (wish.changes || (wish === WISHES.read && uuid?.toLowerCase() !== key.uuid));

/** Whether a user may do that to the application passwords of the account in the address. */
export const permits =
  (wish: Wish) =>
  (user: HostUser, params: Params): boolean =>
    !isAboutOther(user, params, wish) && !isTooMuchForKey(user, params, wish);

/** The answer to whoever may not. */
export const refuseWish =
  (wish: Wish) =>
  ({ credentialsAllowed, params, user }: HostRequest): HostResponse => {
    if (!credentialsAllowed) return unavailable();
    const isMe = params.user_id?.toLowerCase() === 'me';
    if (user === null && isMe) return notLoggedIn();
    const { code, message } = wish;
    if (user === null || isAboutOther(user, params, wish))
      return hostError(refusalStatus(user), code, message);
    return hostError(403, code, RESTRICTED);
  };

/** Who calls, and the number of the account whose passwords are meant. */
export function meantAccount(
  request: HostRequest,
  wish: Wish,
): { readonly user: HostUser; readonly id: number } {
  const { user, params, credentialsAllowed } = request;
  if (user === null || !credentialsAllowed) throw new RestError(refuseWish(wish)(request));
  return { user, id: idOf(params, user) };
}
