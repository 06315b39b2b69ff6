// Finds the route that an address means, in each of the forms that clients use, and reads its query once for all:
// /wp-json/ns/route/, /index.php?rest_route=/ns/route and /?rest_route=/ns/route/?version=... (a second "?", by joined strings).
// address -> route with one leading slash, no trailing one, in its own letter case; undefined when it is no REST address.
import type { AddressQuery } from '../auth/authentication';

export interface RouteAddress {
  /** `/` is the index. */
  readonly route: string;
  readonly query: AddressQuery;
}

const FRONT_PAGES = new Set(['/', '/index.php']);
const ITEM = /^([^[\]]+)\[.*\]$/;

function normalise(path: string): string {
  const words = path.split('/').filter((word) => word !== '');
  return `/${words.join('/')}`;
}

/** Reads a query, or a form. Of a repeated name the last one counts; `a[]`, `a[0]` and `a[x]` are items of the list `a`. */
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

/** A query as it can stand in an address again. */
export function writeQuery(query: AddressQuery): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : value.map((item) => [`${name}[]`, item]),
  );
  return new URLSearchParams(pairs).toString();
}

const said = (query: AddressQuery, name: string) => (Object.hasOwn(query, name) ? query[name] : undefined);

/** What a parameter says where it is one text. */
export function textOf(query: AddressQuery, name: string): string | undefined {
  const value = said(query, name);
  return typeof value === 'string' ? value : undefined;
}

/** A list: `a,b`, `a b`, or items of their own. */
export function listOf(query: AddressQuery, name: string): readonly string[] | undefined {
  const value = said(query, name);
  if (value === undefined) return undefined;
  return (typeof value === 'string' ? [value] : value).flatMap(splitList);
}

/** A list that is written as one text. */
export const splitList = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** For who knows texts alone: a list is written as JSON, which is no value that a single text could have. */
export const asTexts = (query: AddressQuery): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A request line may name the whole address (`GET http://host/path`): what is left of it is path and query. */
export function pathAndQueryOf(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?]*/i, '');
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest;
}

/** Node gives bytes that came unescaped (`?name=ü` from a shell) as one letter each; escaped they are read as UTF-8. */
const escapeBytes = (target: string): string =>
  target.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);

/** `target` is as in the request line. Joined strings double slashes; `/index.php/x` is `/x` without rewriting. */
export function routeAddressOf(target: string, restPrefix: string): RouteAddress | undefined {
  const url = pathAndQueryOf(escapeBytes(target));
  const mark = url.indexOf('?');
  const path = (mark < 0 ? url : url.slice(0, mark)).replace(/^\/+/, '/').replace(/^\/index\.php\/+/, '/');
  const search = mark < 0 ? '' : url.slice(mark + 1);
  if (path === restPrefix || path.startsWith(`${restPrefix}/`)) {
    return { route: normalise(decodePath(path.slice(restPrefix.length))), query: readQuery(search) };
  }
  if (!FRONT_PAGES.has(path) || !search.includes('rest_route')) return undefined;
  const { rest_route: routes, ...others } = readQuery(search);
  const asked = typeof routes === 'object' ? routes.at(-1) : routes;
  if (asked === undefined || asked === '') return undefined;
  const second = asked.indexOf('?');
  if (second < 0) return { route: normalise(asked), query: others };
  const inner = readQuery(asked.slice(second + 1));
  return { route: normalise(asked.slice(0, second)), query: { ...others, ...inner } };
}
