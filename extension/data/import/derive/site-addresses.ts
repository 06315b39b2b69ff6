// URLs as they are stored: one URL for each page.
import { asciiHost } from '../../storage/plain-text';
import { remembering } from '../bounded-maps';

export interface SiteAddresses {
  /** The address of a page: scheme and host as browsers send them, without fragment, default port and click ids. Throws a RangeError. */
  pageAddress(text: string): PageAddress;
  /** The traffic source of a referrer; null for a page of the site itself. */
  referrer(text: string): Referrer | null;
  /** `host` may include a port. */
  isOwnHost(host: string): boolean;
}

export interface PageAddress {
  readonly url: string;
  /** utm_source, utm_medium ... in the query string, if present and not empty. */
  readonly utm: Readonly<Partial<Record<UtmName, string>>>;
  /** The name of its click id; if there are several, the first one in `AddressRules.clickIds`. */
  readonly clickId: string | undefined;
}

interface Referrer {
  readonly referrer: string;
  /** The host without `www.`; null if it has none. */
  readonly sourceDomain: string | null;
}

export const UTM_NAMES = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
type UtmName = (typeof UTM_NAMES)[number];

export interface AddressRules {
  /** The site's own host, for URLs without one. */
  readonly domain: string;
  /** Other hosts of the site. */
  readonly hosts: readonly string[];
  /** Parameters that only distinguish clicks, the most informative first. */
  readonly clickIds: readonly string[];
  /** Parameters that are removed from addresses. */
  readonly removed: readonly string[];
}

const ADDRESSES_AT_ONCE = 40_000;
const PARTS =
  /^(?:(https?):)?\/\/(?:[^/?#@]*@)?([^/?#@:\s]+|\[[0-9a-f:]+\])(?::(\d*))?(?=[/?#]|$)([^?#]*)(?:\?([^#]*))?/i;
const HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#@:\s]+)/i;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };
const NO_UTM = {};

/** Compiles the rules of a site. */
export function siteAddresses({ domain, hosts, clickIds, removed }: AddressRules): SiteAddresses {
  const own = new Set([domain, ...hosts].map((host) => withoutWww(asciiHost(host))));
  const origin = `https://${asciiHost(domain)}`;
  const dropped = new Set(removed);
  const isOwnHost = (host: string): boolean => own.has(withoutWww(asciiHost(host.replace(/:\d+$/, ''))));

  const readPage = (text: string): PageAddress => {
    const absolute = text.startsWith('/') && !text.startsWith('//') ? `${origin}${text}` : text;
    const parts = PARTS.exec(absolute);
    if (parts === null)
      throw new RangeError(
        `is not a URL; write https://${domain}/page, or /page for a page of the site itself`,
      );
    const [, scheme = 'https', host = '', port = '', path = '', query] = parts;
    const lower = scheme.toLowerCase();
    const shownPort = port === '' || port === DEFAULT_PORTS[lower] ? '' : `:${port}`;
    const kept = query === undefined ? '' : keptQuery(query, dropped);
    const url = `${lower}://${asciiHost(host)}${shownPort}${path || '/'}${kept === '' ? '' : `?${kept}`}`;
    return { url, utm: query?.includes('utm_') ? utmOf(query) : NO_UTM, clickId: clickIdOf(query, clickIds) };
  };

  const readReferrer = (text: string): Referrer | null => {
    const named = HOST.exec(text)?.[1];
    if (named === undefined) return { referrer: text, sourceDomain: null };
    const host = asciiHost(named);
    return isOwnHost(host) ? null : { referrer: text, sourceDomain: withoutWww(host) };
  };

  return {
    pageAddress: remembering(ADDRESSES_AT_ONCE, readPage),
    referrer: remembering(ADDRESSES_AT_ONCE, readReferrer),
    isOwnHost,
  };
}

const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host);

/** The parameters to keep, unchanged. */
function keptQuery(query: string, dropped: ReadonlySet<string>): string {
  if (query === '') return '';
  const parameters = query.split('&');
  const kept = parameters.filter((one) => !dropped.has(nameOf(one)));
  return kept.length === parameters.length ? query : kept.join('&');
}

function nameOf(parameter: string): string {
  const end = parameter.indexOf('=');
  return (end < 0 ? parameter : parameter.slice(0, end)).toLowerCase();
}

/** A parameter without a value contains no information. */
function clickIdOf(query: string | undefined, clickIds: readonly string[]): string | undefined {
  if (!query?.includes('=')) return undefined;
  const names = new Set(
    query
      .split('&')
      .filter((one) => !/^[^=]*=?$/.test(one))
      .map(nameOf),
  );
  return clickIds.find((name) => names.has(name));
}

function utmOf(query: string): PageAddress['utm'] {
  const utm: Partial<Record<UtmName, string>> = {};
  for (const parameter of query.split('&')) {
    const name = UTM_NAMES.find((one) => one === nameOf(parameter));
    if (name === undefined || utm[name] !== undefined) continue;
    const value = decoded(parameter.slice(name.length + 1).replaceAll('+', ' ')).trim();
    if (value !== '') utm[name] = value;
  }
  return utm;
}

/** Decodes percent escapes. Returns the text unchanged if any are invalid. */
export function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
