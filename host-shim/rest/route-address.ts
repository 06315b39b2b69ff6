// Finds the route in every form of address that clients use: /wp-json/ns/route/, /index.php?rest_route=/ns/route, and
// /?rest_route=/ns/route/?version=... (a second "?", from clients that concatenate strings).
import type { AddressQuery } from '../auth/authentication';

export interface RouteAddress {
  /** With a leading but no trailing slash; its case is preserved. `/` is the index. */
  readonly route: string;
  readonly query: AddressQuery;
}

const FRONT_PAGES = new Set(['/', '/index.php']);
const ITEM = /^([^[\]]+)\[.*\]$/;

function normalize(path: string): string {
  const words = path.split('/').filter((word) => word !== '');
  return `/${words.join('/')}`;
}

/** Reads a query or a form. If a name is repeated, the last value wins; `a[]`, `a[0]` and `a[x]` are items of the list `a`. */
export function readQuery(search: string): AddressQuery {
  const values = new Map<string, string | readonly string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const list = ITEM.exec(name)?.[1];
    if (list === undefined) values.set(name, value);
    else {
      const before = values.get(list);
      values.set(list, typeof before === 'object' ? [...before, value] : [value]);
    }
  }
  return Object.fromEntries(values);
}

export function writeQuery(query: AddressQuery): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : value.map((item) => [`${name}[]`, item]),
  );
  return new URLSearchParams(pairs).toString();
}

const valueIn = (query: AddressQuery, name: string) => (Object.hasOwn(query, name) ? query[name] : undefined);

/** undefined for a list. */
export function textOf(query: AddressQuery, name: string): string | undefined {
  const value = valueIn(query, name);
  return typeof value === 'string' ? value : undefined;
}

/** Items may be written as `a,b` or `a b`, or sent separately. */
export function listOf(query: AddressQuery, name: string): readonly string[] | undefined {
  const value = valueIn(query, name);
  if (value === undefined) return undefined;
  return (typeof value === 'string' ? [value] : value).flatMap(splitList);
}

export const splitList = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Lists become JSON. */
export const asTexts = (query: AddressQuery): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

/** Returns the path unchanged if its escapes are invalid. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The request line may contain a full URL (`GET http://host/path`). */
export function pathAndQueryOf(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest;
}

/** Node returns each unescaped byte (`?name=ü` from a shell) as a character. Once escaped, bytes are decoded as UTF-8. */
const escapeBytes = (target: string): string =>
  target.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);

/** undefined for addresses outside REST. `/index.php/x` is treated as `/x`: clients use it for servers without URL rewriting. */
export function routeAddressOf(target: string, restPrefix: string): RouteAddress | undefined {
  const url = pathAndQueryOf(escapeBytes(target));
  const mark = url.indexOf('?');
  const path = (mark < 0 ? url : url.slice(0, mark)).replace(/^\/+/, '/').replace(/^\/index\.php\/+/, '/');
  const search = mark < 0 ? '' : url.slice(mark + 1);
  if (path === restPrefix || path.startsWith(`${restPrefix}/`)) {
    return { route: normalize(decodePath(path.slice(restPrefix.length))), query: readQuery(search) };
  }
  if (!FRONT_PAGES.has(path) || !search.includes('rest_route')) return undefined;
  const { rest_route: routes, ...others } = readQuery(search);
  const requested = typeof routes === 'object' ? routes.at(-1) : routes;
  if (requested === undefined || requested === '') return undefined;
  const second = requested.indexOf('?');
  if (second < 0) return { route: normalize(requested), query: others };
  const inner = readQuery(requested.slice(second + 1));
  return { route: normalize(requested.slice(0, second)), query: { ...others, ...inner } };
}
