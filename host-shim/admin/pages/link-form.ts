import { checkFields } from '../../accounts/account-fields';
import type { AccountTools } from '../../accounts/account-tools';
import { sitesOf } from '../../accounts/known-sites';
import { issuePassword } from '../../accounts/passwords';
import { readRestrictions } from '../../auth/key-restrictions';
import {
  type AdminAnswer,
  type AdminRequest,
  DAY_MS,
  LINK_PATH,
  PageError,
  utcText,
} from '../../extension-api';
import { maySee, type PageRegistry } from '../../extensions/page-registry';
import { linksOf } from './links-page';

export type CurrentPages = () => PageRegistry;

const DEFAULT_DAYS = 90;

/** Shows the form for `?page=...&site=...`, or creates the link and shows it once. */
export async function linkForm(
  tools: AccountTools,
  pages: CurrentPages,
  request: AdminRequest,
): Promise<AdminAnswer> {
  const { method, form, query, user } = request;
  const slug = (method === 'POST' ? form.get('page') : query.page) ?? '';
  const page = pages().find(slug);
  if (page?.forLinks === undefined || !maySee(user, page))
    throw new PageError(404, 'There is no such page to share.');
  const sites = await sitesOf(tools.hooks, user);
  const defaultExpiry = utcText(new Date(tools.clock().getTime() + DEFAULT_DAYS * DAY_MS));
  const typed =
    method === 'POST'
      ? {
          name: form.get('name') ?? '',
          site: form.get('site') ?? '',
          expires: form.get('expires') ?? '',
          limit: form.get('limit') ?? '',
        }
      : { name: '', site: query.site ?? '', expires: defaultExpiry, limit: '' };
  const { linkLimit } = page;
  const limits = (await linkLimit?.options(user, typed.site)) ?? [];
  const show = async (shown: object, status = 200): Promise<AdminAnswer> => ({
    kind: 'page',
    status,
    title: `Share the ${page.title.toLowerCase()}`,
    view: 'host-shim/admin/views/link',
    data: {
      shared: page,
      sites,
      typed,
      limit: limits.length === 0 && typed.limit === '' ? null : { ...linkLimit, options: limits },
      faults: {},
      address: null,
      links: await linksOf(tools, user, typed.site),
      ...shown,
    },
  });
  if (method === 'GET') return show({});
  const read = readRestrictions(
    { expires: typed.expires, sites: [typed.site], level: 'read' },
    {
      now: tools.clock(),
      timezone: user.timezone,
      sites: user.sites,
      known: sites.map(({ trackingId }) => trackingId),
      levels: ['read'],
    },
  );
  const missing = typed.expires.trim() === '' ? { expires: 'A link needs a last day.' } : {};
  const limited = typed.limit !== '';
  const limit = limited ? await linkLimit?.read(user, typed.site, typed.limit) : undefined;
  const faults = {
    ...checkFields({ name: typed.name }).faults,
    ...(read.ok ? {} : read.faults),
    ...missing,
    ...(limited && limit === undefined
      ? { limit: 'This does not belong to the chosen site. Choose again.' }
      : {}),
  };
  if (!read.ok || Object.keys(faults).length > 0) return show({ faults }, 400);
  const { password, secret } = await issuePassword(tools, {
    userId: user.id,
    name: typed.name,
    restrictions: read.restrictions,
    opens: page.slug,
    linkLimit: limit,
  });
  return show({ address: `${request.home}${LINK_PATH}/${page.slug}#${password.uuid}.${secret}` });
}
