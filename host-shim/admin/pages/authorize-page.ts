// The authorize flow: a program asks for an application password, the user approves or rejects, and the browser returns to the
// program. After approval, the return address contains the password. By default, the password can only read the user's current
// sites.

import { checkFields } from '../../accounts/account-fields';
import type { AccountTools } from '../../accounts/account-tools';
import { sitesOf } from '../../accounts/known-sites';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  type HostUser,
  PageError,
} from '../../extension-api';
import { AUTHORIZE_PATH, AUTHORIZE_SLUG, FIRST_PAGE } from '../../server/page-addresses';
import { offeredLevels } from '../offered-levels';
import {
  createPassword,
  EMPTY_PASSWORD_FORM,
  type PasswordFaults,
  type PasswordForm,
  readPasswordForm,
} from './create-password';
import { type ReturnAddress, readReturnAddress, withQuery } from './return-address';

const NO_SITE =
  'You do not have access to any sites that the program could read. Try again once you do, or choose the level that allows everything that you may do.';

interface AuthorizeRequest {
  readonly appName: string;
  readonly appId: string;
  readonly success: ReturnAddress | null;
  readonly reject: ReturnAddress | null;
}

/** Reads the query or the hidden form fields. Throws a PageError if one is invalid. */
function readAuthorizeRequest(text: (name: string) => string, allowHttp: boolean): AuthorizeRequest {
  const appName = text('app_name').trim();
  if (appName === '')
    throw new PageError(400, 'The program did not send its name: app_name is missing from the address.');
  const { values, faults } = checkFields({ name: appName, appId: text('app_id') });
  if (faults.name !== undefined) throw new PageError(400, `app_name is not allowed: ${faults.name}`);
  if (faults.appId !== undefined) throw new PageError(400, `app_id is not allowed: ${faults.appId}`);
  const address = (name: string) => {
    const read = readReturnAddress(name, text(name), allowHttp);
    if (!read.ok) throw new PageError(400, `There is no safe way back to the program: ${read.fault}`);
    return read.address;
  };
  return {
    appName,
    appId: values.appId ?? '',
    success: address('success_url'),
    reject: address('reject_url'),
  };
}

function reject({ success, reject: rejected, appName }: AuthorizeRequest): AdminAnswer {
  if (rejected !== null) return { kind: 'redirect', to: rejected.href, elsewhere: true };
  if (success !== null)
    return { kind: 'redirect', to: withQuery(success, { success: 'false' }), elsewhere: true };
  return { kind: 'redirect', to: FIRST_PAGE, notice: `“${appName}” was rejected.` };
}

export function authorizePage(
  tools: AccountTools,
  { allowHttp }: { readonly allowHttp: boolean },
): AdminPage {
  /** If no site is chosen, a level below `all` is limited to the user's current sites. */
  async function withCurrentSites(
    user: HostUser,
    typed: PasswordForm,
  ): Promise<PasswordForm | { readonly fault: string }> {
    if (typed.level === 'all' || typed.sites.length > 0) return typed;
    const own = (await sitesOf(tools.hooks, user)).map(({ trackingId }) => trackingId);
    // An empty list would mean no restriction, that is, all sites.
    return own.length === 0 ? { fault: NO_SITE } : { ...typed, sites: own };
  }

  async function showForm(
    { user }: AdminRequest,
    requested: AuthorizeRequest,
    shown: { readonly typed: PasswordForm; readonly faults?: PasswordFaults },
  ): Promise<AdminAnswer> {
    const { faults = {}, typed } = shown;
    return {
      kind: 'page',
      status: Object.keys(faults).length > 0 ? 400 : 200,
      view: 'host-shim/admin/views/authorize',
      data: {
        address: AUTHORIZE_PATH,
        requested,
        user,
        typed,
        faults,
        sites: await sitesOf(tools.hooks, user),
        levels: await offeredLevels(tools.hooks, user),
      },
      // Browsers also apply this list to the redirect after a form is submitted.
      formTargets: [
        ...new Set([requested.success, requested.reject].flatMap((address) => address?.formTargets ?? [])),
      ],
    };
  }

  async function approve(request: AdminRequest, requested: AuthorizeRequest): Promise<AdminAnswer> {
    const typed = readPasswordForm(request.form);
    const refuse = (faults: PasswordFaults) => showForm(request, requested, { typed, faults });
    const limited = await withCurrentSites(request.user, typed);
    if ('fault' in limited) return refuse({ level: limited.fault });
    const created = await createPassword(tools, request, limited, requested.appId);
    if (!created.ok) return refuse(created.faults);
    if (requested.success === null)
      return {
        kind: 'page',
        view: 'host-shim/admin/views/authorized',
        data: { appName: requested.appName, created: created.shown },
      };
    const to = withQuery(requested.success, {
      site_url: request.home,
      user_login: request.user.login,
      password: created.secret,
    });
    return { kind: 'redirect', to, elsewhere: true };
  }

  return {
    slug: AUTHORIZE_SLUG,
    title: 'Authorize an application',
    group: null,
    position: 0,
    capability: 'read',
    takes: { post: true },
    async handle(request) {
      const { form, method, query } = request;
      const text = (name: string) => (method === 'GET' ? query[name] : form.get(name)) ?? '';
      const requested = readAuthorizeRequest(text, allowHttp);
      if (method === 'GET')
        return showForm(request, requested, { typed: { ...EMPTY_PASSWORD_FORM, name: requested.appName } });
      const decision = form.get('decision');
      if (decision === 'approve') return approve(request, requested);
      if (decision === 'reject') return reject(requested);
      throw new PageError(400, 'The form must contain the decision: approve or reject.');
    },
  };
}
