// Finds the route that an address means, in each of the forms that clients use:
// /wp-json/ns/route/, /index.php?rest_route=/ns/route and /?rest_route=/ns/route/?version=... (a second "?", by joined strings).
// address -> route with one leading slash, no trailing one, in lower case; undefined when it is no REST address.
export interface RouteAddress {
  /** `/` is the index. */
  readonly route: string;
  /** Of a repeated parameter the last one counts. */
  readonly query: Readonly<Record<string, string>>;
}

const FRONT_PAGES = new Set(['/', '/index.php']);

function normalise(path: string): string {
  const words = path.split('/').filter((word) => word !== '');
  return `/${words.join('/')}`.toLowerCase();
}

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

/** `target` is as in the request line. */
export function routeAddressOf(target: string, restPrefix: string): RouteAddress | undefined {
  const url = pathAndQueryOf(target);
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const search = mark < 0 ? '' : url.slice(mark + 1);
  if (path === restPrefix || path.startsWith(`${restPrefix}/`)) {
    const query: Record<string, string> =
      search === '' ? {} : Object.fromEntries(new URLSearchParams(search));
    return { route: normalise(decodePath(path.slice(restPrefix.length))), query };
  }
  if (!FRONT_PAGES.has(path) || !search.includes('rest_route')) return undefined;
  const { rest_route: asked, ...others } = Object.fromEntries(new URLSearchParams(search));
  if (asked === undefined || asked === '') return undefined;
  const second = asked.indexOf('?');
  if (second < 0) return { route: normalise(asked), query: others };
  const inner = Object.fromEntries(new URLSearchParams(asked.slice(second + 1)));
  return { route: normalise(asked.slice(0, second)), query: { ...others, ...inner } };
}
