// The named functions with which formats convert fields of a record to one of our values. Each is created once per import.
// `undefined` and `null` mean that the value is unknown; a RangeError rejects the row with its message.
import type { TransformName } from '../../../../manifests/reader/format-schema';
import { KNOWN_WORDS } from '../../../../manifests/reader/known-words';
import { countryOfName, isCountry } from '../derive/countries';
import { ImportError } from '../import-error';
import { exportedSessions } from './exported-sessions';
import { keyAndValue, textOf } from './record-fields';
import { requestOf } from './request-line';
import { visitClock } from './visit-clock';

/** Receives the fields that the format names, in that order. */
type Transform = (...fields: readonly unknown[]) => unknown;

const WHOLE = /^\d{1,9}$/;

/** The transforms by name; each call returns a transform for one import. */
export const TRANSFORMS: Readonly<Record<TransformName, () => Transform>> = {
  /** What Matomo exports about an event, a search or a link, as parameters. */
  action_params: () => (category, action, name, value, search, url) =>
    Object.fromEntries(
      Object.entries({ category, action, name, value, search, url }).filter(([, one]) => textOf(one) !== ''),
    ),
  /** The last public address in the first field that has one; fields may be lists. The port is removed. */
  address:
    () =>
    (...fields) => {
      const last = fields.at(-1);
      // Nearly every log line has one plain address.
      if (typeof last === 'string' && PLAIN_ADDRESS.test(last) && fields.every((one) => !one || one === last))
        return last;
      const lists = fields.map((field) =>
        textOf(field)
          .split(',')
          .map(withoutPort)
          .filter((one) => one !== ''),
      );
      for (const list of lists) {
        const found = list.findLast((one) => !PRIVATE.test(one));
        if (found !== undefined) return found;
      }
      return lists.find((list) => list.length > 0)?.at(-1);
    },
  country_of_name: () => (name) => {
    const text = textOf(name);
    if (text === '' || text === '(not set)') return null;
    const code = countryOfName(text);
    if (code === undefined) throw new RangeError(`is not the English name of a country: ${text}`);
    return code;
  },
  /** GoatCounter's referrer and the letter for its kind: `c` is a campaign, `h` a URL without its scheme. */
  exported_referrer: () => (referrer, scheme) => {
    const text = textOf(referrer);
    if (text === '' || scheme === 'c') return null;
    return scheme === 'h' ? `https://${text}` : text;
  },
  /** A list of `{key, value: {string_value, ...}}` as an object. */
  event_params: () => (list) =>
    Array.isArray(list) ? Object.fromEntries(list.map((item) => keyAndValue(item))) : null,
  exported_session: () => {
    const sessionOf = exportedSessions();
    return (visitor, number, time, pv) => {
      const no = textOf(number) || '0';
      if (!WHOLE.test(no)) throw new RangeError('session_no must be a whole number');
      return sessionOf(`${textOf(visitor) || '0'} ${no}`, textOf(time), textOf(pv) || undefined);
    };
  },
  /** The first field that the record has. */
  first_known:
    () =>
    (...fields) =>
      fields.find((field) => textOf(field) !== ''),
  /** The first path that the record has, with or without its leading slash. */
  first_path:
    () =>
    (...paths) => {
      const path = textOf(paths.find((one) => textOf(one) !== ''));
      return path === '' || path.startsWith('/') ? path : `/${path}`;
    },
  /** The fields joined by dots; nothing if one of them is unknown. */
  joined:
    () =>
    (...fields) => {
      const texts = fields.map(textOf);
      return texts.includes('') ? null : texts.join('.');
    },
  /** The country for a country code, or for a region code such as US-CA; nothing for an unknown one. */
  known_country: () => (text) => {
    const code = textOf(text).split('-')[0]?.toUpperCase() ?? '';
    return isCountry(code) ? code : null;
  },
  /** The first language of `Accept-Language`. */
  language: () => (header) => textOf(header).split(/[,;]/)[0]?.trim() || null,
  /** A selector built from a link's id and classes, or else from its URL. Its comment marks it as derived. */
  link_selector: () => (id, classes, address) => {
    const names = textOf(classes)
      .split(/\s+/)
      .filter((name) => name !== '')
      .map((name) => `.${identifier(name)}`);
    const own = `${textOf(id) === '' ? '' : `#${identifier(textOf(id))}`}${names.join('')}`;
    const place = textOf(address) === '' ? '' : `[href=${JSON.stringify(textOf(address))}]`;
    return `a${own || place} /* derived */`;
  },
  name_without_version: () => (name) =>
    textOf(name)
      .replace(/ [\d.]*$/, '')
      .trim() || null,
  os_family: () => (name) =>
    FAMILIES.find(([start]) => start.test(textOf(name)))?.[1] ?? (textOf(name) || null),
  /** Host and path, or a whole URL. Without a host, the page is on the site. */
  page_address:
    () =>
    (host, path = '', query = '') => {
      const [server, place, search] = [textOf(host), textOf(path), textOf(query)];
      const whole = search === '' ? place : withQuery(place, search);
      if (server === '' || /^https?:/i.test(place)) return onSite(whole);
      return `https://${server}${whole.startsWith('/') ? '' : '/'}${whole}`;
    },
  /** Host, request line or path, and a separate query if there is one: the requested URL. */
  requested_address: () => (host, line, query) => {
    const requested = requestOf(textOf(line))?.path ?? textOf(line);
    const [server, search] = [textOf(host), textOf(query)];
    const path = search === '' || requested.includes('?') ? requested : withQuery(requested, search);
    return path.startsWith('/') && server !== '' ? `https://${server}${path}` : onSite(path);
  },
  /** From the keys in a Search Console response: the requested dimensions, without their names. */
  search_date: () => (keys) => searchKey(keys, 'date'),
  search_page: () => (keys) => searchKey(keys, 'page'),
  search_query: () => (keys) => searchKey(keys, 'query'),
  /** From sums over impressions with 0-based positions: the mean 1-based position. */
  position_from_sum: () => (sum, impressions) => {
    const shown = Number(impressions);
    if (!(shown > 0)) throw new RangeError('has a sum of positions, but no impressions');
    return Number((Number(sum) / shown + 1).toFixed(6));
  },
  /** The instant of an action from its site's local time, if the instants of its visit determine it. */
  visit_instant: visitClock,
  /** A number that a tool writes with a fraction; nothing if it is missing. */
  whole_number: () => (number) => (textOf(number) === '' ? null : Math.round(Number(number))),
};

/** The dimensions of Search Console in the order of their keys. */
const DIMENSIONS = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  page: /^https?:\/\//,
  query: /^(?!https?:\/\/|\d{4}-\d{2}-\d{2}$)/,
} as const;

/** Throws an ImportError for the whole response: all of its rows have the same dimensions. */
function searchKey(keys: unknown, name: keyof typeof DIMENSIONS): unknown {
  const list: readonly unknown[] = Array.isArray(keys) ? keys : [];
  const key = list[Object.keys(DIMENSIONS).indexOf(name)];
  const isOf = (one: unknown): boolean => DIMENSIONS[name].test(textOf(one));
  if (key !== undefined && (isOf(key) || name === 'query')) return key;
  const what = list.some(isOf) ? `${name} in a different position` : `no ${name}`;
  throw new ImportError(
    `The Search Console response has ${what} in its keys. Request it with "dimensions": ["date", "page", "query"], in this order`,
  );
}

/** Addresses that no visitor has: loopback, private and local networks. A server for IPv4 and IPv6 may write ::ffff:10.0.0.5. */
const PRIVATE =
  /^(?:::ffff:)?(?:10\.|127\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd][0-9a-f]{2}:|fe80:|unknown$)/i;

const PLAIN_ADDRESS = /^\d+(?:\.\d+){3}$/;

/** `1.2.3.4:5678` and `[2001:db8::1]:443` without their port. */
const withoutPort = (text: string): string =>
  text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');

/** A name as CSS writes it. */
const identifier = (name: string): string =>
  name.replace(/[^\w-]/gu, '\\$&').replace(/^\d/, (digit) => `\\3${digit} `);

/** A query precedes the fragment. */
function withQuery(place: string, query: string): string {
  const fragment = place.indexOf('#');
  const end = fragment < 0 ? place.length : fragment;
  return `${place.slice(0, end)}?${query.replace(/^\?/, '')}${place.slice(end)}`;
}

/** A path that cannot be mistaken for an address without a scheme. Servers ignore repeated slashes. */
const onSite = (path: string): string => path.replace(/^\/{2,}/, '/');

/** Prefixes of operating system names, and the family of each. */
const FAMILIES = Object.entries(KNOWN_WORDS.os_families).map(
  ([start, family]) => [new RegExp(start, 'i'), family] as const,
);
