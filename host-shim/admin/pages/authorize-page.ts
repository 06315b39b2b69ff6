// The authorize flow: another program asks for an application password, the person approves or rejects,
// and the browser is sent back to the program, on approval with the password in the address.
// Unless the person says otherwise the password only reads, and only the sites that they see at this moment.
import { checkFields } from '../../auth/account-fields';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  type HostUser,
  PageError,
} from '../../extension-api';
import { sitesOf } from '../../known-sites';
import type { HostParts } from '../../load-host';
import { AUTHORIZE_PATH, AUTHORIZE_SLUG, FIRST_PAGE } from '../../page-addresses';
import { describeCapabilities } from '../describe-capabilities';
import {
  makePassword,
  NOTHING_TYPED,
  type PasswordFaults,
  type TypedPassword,
  typedPassword,
} from './make-password';
import { type ReturnAddress, readReturnAddress, withQuery } from './return-address';

/** `read`: it is restricted, and so it only reads. `all`: whatever its owner may do. */
type Reach = 'all' | 'read';

type Faults = PasswordFaults & Readonly<Partial<Record<'reach', string>>>;

const NO_SITE =
  'There is no site that it could read. Ask again when you see one, or let it do everything that you may do.';
const NOT_ALL =
  'With a restriction it only reads. Leave the restrictions empty, or let it only read figures.';

/** What the program asked, checked. */
interface Asked {
  readonly appName: string;
  readonly appId: string;
  readonly success: ReturnAddress | null;
  readonly reject: ReturnAddress | null;
}

/** Reads what stands in the address, or in the hidden fields of the form; throws a PageError for what cannot be. */
function readAsked(text: (name: string) => string, mayBeHttp: boolean): Asked {
  const appName = text('app_name').trim();
  if (appName === '')
    throw new PageError(400, 'The program did not say its name: app_name is missing from the address.');
  const named = checkFields({ name: appName });
  if (!named.ok) throw new PageError(400, `app_name cannot be: ${named.fault.message}`);
  const identified = checkFields({ appId: text('app_id') });
  if (!identified.ok) throw new PageError(400, `app_id cannot be: ${identified.fault.message}`);
  const address = (name: string) => {
    const read = readReturnAddress(name, text(name), mayBeHttp);
    if (!read.ok) throw new PageError(400, `The program cannot be sent back: ${read.fault}`);
    return read.address;
  };
  return {
    appName,
    appId: identified.values.appId ?? '',
    success: address('success_url'),
    reject: address('reject_url'),
  };
}

/** The password as it is to be made. With no site ticked, one that reads has those that the person sees now. */
async function withinReach(
  parts: HostParts,
  user: HostUser,
  typed: TypedPassword,
  reach: Reach,
): Promise<TypedPassword | { readonly fault: string }> {
  const { sites, expires, addresses, share } = typed;
  if (reach === 'all') {
    const restricts = sites.length > 0 || [expires, addresses, share].some((text) => text.trim() !== '');
    return restricts ? { fault: NOT_ALL } : typed;
  }
  if (sites.length > 0) return typed;
  const own = (await sitesOf(parts.extensions().hooks, user)).map(({ trackingId }) => trackingId);
  // An empty list of sites would be no restriction, and so all of them.
  return own.length === 0 ? { fault: NO_SITE } : { ...typed, sites: own };
}

export function authorizePage(parts: HostParts): AdminPage {
  const mayBeHttp = parts.settings.environment === 'local';

  async function form(
    { user }: AdminRequest,
    asked: Asked,
    shown: { readonly typed: TypedPassword; readonly reach: Reach; readonly faults?: Faults },
  ): Promise<AdminAnswer> {
    const { success, reject } = asked;
    const { faults = {}, typed, reach } = shown;
    return {
      kind: 'page',
      status: Object.keys(faults).length > 0 ? 400 : 200,
      view: 'host-shim/admin/views/authorize',
      data: {
        address: AUTHORIZE_PATH,
        asked,
        user,
        typed,
        reach,
        faults,
        sites: await sitesOf(parts.extensions().hooks, user),
        abilities: describeCapabilities(user),
      },
      // Browsers hold a form to this list in the redirect after it, too.
      formTargets: [...new Set([success, reject].flatMap((address) => address?.formTargets ?? []))],
    };
  }

  async function approve(request: AdminRequest, asked: Asked): Promise<AdminAnswer> {
    const typed = typedPassword(request.form);
    const reach = request.form.get('reach') === 'all' ? 'all' : 'read';
    const refuse = (faults: Faults) => form(request, asked, { typed, reach, faults });
    const reached = await withinReach(parts, request.user, typed, reach);
    if ('fault' in reached) return refuse({ reach: reached.fault });
    const made = await makePassword(parts, request, reached, asked.appId);
    if (!made.ok) return refuse(made.faults);
    if (asked.success === null)
      return {
        kind: 'page',
        view: 'host-shim/admin/views/authorized',
        data: { appName: asked.appName, made: made.shown },
      };
    const to = withQuery(asked.success, {
      site_url: request.home,
      user_login: request.user.login,
      password: made.secret,
    });
    return { kind: 'redirect', to, elsewhere: true };
  }

  function reject({ success, reject: asked, appName }: Asked): AdminAnswer {
    if (asked !== null) return { kind: 'redirect', to: asked.href, elsewhere: true };
    if (success !== null)
      return { kind: 'redirect', to: withQuery(success, { success: 'false' }), elsewhere: true };
    return { kind: 'redirect', to: FIRST_PAGE, notice: `“${appName}” got nothing.` };
  }

  return {
    slug: AUTHORIZE_SLUG,
    title: 'Let a program in',
    group: null,
    position: 0,
    capability: 'read',
    takes: { post: true },
    async handle(request) {
      if (request.method === 'GET') {
        const asked = readAsked((name) => request.query[name] ?? '', mayBeHttp);
        return form(request, asked, { typed: { ...NOTHING_TYPED, name: asked.appName }, reach: 'read' });
      }
      const asked = readAsked((name) => request.form.get(name) ?? '', mayBeHttp);
      const decision = request.form.get('decision');
      if (decision === 'approve') return approve(request, asked);
      if (decision === 'reject') return reject(asked);
      throw new PageError(400, 'The form does not say whether to approve or to reject.');
    },
  };
}
