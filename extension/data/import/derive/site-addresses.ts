// URLs as they are stored: one URL for each page.
import { asciiHost } from '../../storage/plain-text';
import { memoized } from '../bounded-maps';

export type SiteAddresses = ReturnType<typeof siteAddresses>;

export interface PageAddress {
  readonly url: string;
  /** utm_source, utm_medium and so on in the query string, if present and not empty. */
  readonly utm: Readonly<Partial<Record<UtmName, string>>>;
  /** The name of the URL's click id parameter; if there are several, the first one in `AddressRules.clickIds`. */
  readonly clickId: string | undefined;
}

interface Referrer {
  readonly referrer: string;
  /** The host without `www.`; null if the referrer has no host. */
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

const CACHED_ADDRESSES = 40_000;
const PARTS =
  /^(?:(https?):)?\/\/(?:[^/?#@]*@)?([^/?#@:\s]+|\[[0-9a-f:]+\])(?::(\d*))?(?=[/?#]|$)([^?#]*)(?:\?([^#]*))?/i;
const HOST = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#@:\s]+)/i;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** Compiles a site's rules. */
export function siteAddresses({ domain, hosts, clickIds, removed }: AddressRules) {
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
    const parameters = query ? query.split('&').map(parameterOf) : [];
    const kept = parameters.flatMap((one) => (dropped.has(one.name) ? [] : [one.text])).join('&');
    const url = `${lower}://${asciiHost(host)}${shownPort}${path || '/'}${kept === '' ? '' : `?${kept}`}`;
    // A parameter without a value contains no information.
    const named = new Set(parameters.flatMap(({ name, value }) => (value === '' ? [] : [name])));
    return { url, utm: utmOf(parameters), clickId: clickIds.find((name) => named.has(name)) };
  };

  const readReferrer = (text: string): Referrer | null => {
    const named = HOST.exec(text)?.[1];
    if (named === undefined) return { referrer: text, sourceDomain: null };
    const host = asciiHost(named);
    return isOwnHost(host) ? null : { referrer: text, sourceDomain: withoutWww(host) };
  };

  return {
    /**
     * The address of a page: scheme and host as browsers send them, without fragment, default port or click ids. Throws a
     * RangeError if the text is not a URL.
     */
    pageAddress: memoized(CACHED_ADDRESSES, readPage),
    /** The traffic source of a referrer; null for a page on the site itself. */
    referrer: memoized(CACHED_ADDRESSES, readReferrer),
    /** `host` may include a port. */
    isOwnHost,
  };
}

const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host);

interface Parameter {
  /** As written. */
  readonly text: string;
  readonly name: string;
  readonly value: string;
}

function parameterOf(text: string): Parameter {
  const [name = ''] = text.split('=', 1);
  return { text, name: name.toLowerCase(), value: text.slice(name.length + 1) };
}

function utmOf(parameters: readonly Parameter[]): PageAddress['utm'] {
  const utm: Partial<Record<UtmName, string>> = {};
  for (const parameter of parameters) {
    const name = UTM_NAMES.find((one) => one === parameter.name);
    if (name === undefined || utm[name] !== undefined) continue;
    const value = decoded(parameter.value.replaceAll('+', ' ')).trim();
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
