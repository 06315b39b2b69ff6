// Where a program wants users sent after the authorize page. These addresses may contain an application password.
export interface ReturnAddress {
  /** Normalized the way browsers do it. */
  readonly href: string;
  readonly place: string;
  /** Schemes for form-action. Not origins: browsers apply this directive to the program's own redirects too. */
  readonly formTargets: readonly string[];
}

type ReadAddress =
  | { readonly ok: true; readonly address: ReturnAddress | null }
  | { readonly ok: false; readonly fault: string };

/** Browsers and servers may truncate longer addresses. */
const MAX_LENGTH = 2000;

/** Schemes that run or display something in the browser, forward data, or start a system program. */
const REFUSED_SCHEMES =
  /^(javascript|vbscript|livescript|mocha|data|blob|file|filesystem|about|view-source|jar|resource|intent|chrome|edge|brave|opera|moz-.+|.+-extension|mailto|tel|sms|ftp|ws|wss|cid|mid|urn|content|search-ms|ms-.+|shell|ssh|telnet|ldap|afp|smb|vnc|rdp)$/;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Real host names contain only these characters once a browser has normalized them. */
const PLAIN_HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

function faultOf(url: URL, mayBeHttp: boolean): string | undefined {
  const scheme = url.protocol.slice(0, -1);
  if (REFUSED_SCHEMES.test(scheme))
    return `is a ${scheme}: address; an application password is only sent to https: or to the program's own scheme, such as myapp:.`;
  if (url.username !== '' || url.password !== '') return 'has a user name or password; leave them out.';
  const isWeb = scheme === 'https' || scheme === 'http';
  if (isWeb && !PLAIN_HOST.test(url.hostname)) return 'has a host that cannot exist.';
  if (scheme === 'http' && !mayBeHttp && !LOOPBACK.test(url.hostname))
    return 'is plain http: to another machine, where others could read the password; use https:.';
  // An address such as myapp:words cannot have a query.
  if (!isWeb && !/^[a-z][a-z0-9+.-]*:\//.test(url.href)) return `has no / after ${url.protocol}`;
  return undefined;
}

/** Parses success_url or reject_url, which may be empty. `mayBeHttp` allows plain http: to other machines. */
export function readReturnAddress(name: string, text: string, mayBeHttp: boolean): ReadAddress {
  if (text.trim() === '') return { ok: true, address: null };
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  const fault =
    url === undefined
      ? `is not a complete address of at most ${MAX_LENGTH} characters, such as https://example.org/back.`
      : faultOf(url, mayBeHttp);
  if (url === undefined || fault !== undefined) return { ok: false, fault: `${name} ${fault}` };
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return {
    ok: true,
    address: {
      href: url.href,
      place: isWeb ? url.origin : url.protocol,
      formTargets: url.protocol === 'http:' ? ['http:', 'https:'] : [url.protocol],
    },
  };
}

/** Keeps the rest of the query unchanged, byte for byte. */
export function withQuery({ href }: ReturnAddress, added: Readonly<Record<string, string>>): string {
  const [beforeFragment = '', ...fragments] = href.split('#');
  const [path = '', ...query] = beforeFragment.split('?');
  const nameOf = (pair: string) => new URLSearchParams(pair).keys().next().value ?? '';
  const others = query
    .join('?')
    .split('&')
    .filter((pair) => pair !== '' && !Object.hasOwn(added, nameOf(pair)));
  const addedPairs = Object.entries(added).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return [`${path}?${[...others, ...addedPairs].join('&')}`, ...fragments].join('#');
}
