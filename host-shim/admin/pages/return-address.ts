// Addresses that another program names for the way back from the authorize page, where a password is handed over in them.
// Text -> an address that may be trusted with it, or a sentence that says what would be right.

/** An address that passed. */
export interface ReturnAddress {
  /** As browsers write it. */
  readonly href: string;
  /** For people: where it leads to. */
  readonly place: string;
  /** Schemes for the header that says where forms may lead. Not origins: browsers hold the program's own redirects to it. */
  readonly formTargets: readonly string[];
}

export type ReadAddress =
  | { readonly ok: true; readonly address: ReturnAddress | null }
  | { readonly ok: false; readonly fault: string };

/** Longer ones are cut by browsers and servers. */
const LONGEST = 2000;

/** What runs or shows something in the browser, sends what it is given to others, or starts a program of the system. */
const REFUSED_SCHEMES =
  /^(javascript|vbscript|livescript|mocha|data|blob|file|filesystem|about|view-source|jar|resource|intent|chrome|edge|brave|opera|moz-.+|.+-extension|mailto|tel|sms|ftp|ws|wss|cid|mid|urn|content|search-ms|ms-.+|shell|ssh|telnet|ldap|afp|smb|vnc|rdp)$/;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
/** Of a host, as browsers write it; other characters stand in no host that there is. */
const PLAIN_HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

function faultOf(url: URL, mayBeHttp: boolean): string | undefined {
  const scheme = url.protocol.slice(0, -1);
  if (REFUSED_SCHEMES.test(scheme))
    return `is a ${scheme}: address; an application password goes to https: or to a scheme of the program's own, such as myapp:.`;
  if (url.username !== '' || url.password !== '') return 'holds a user name or password; leave these out.';
  const isWeb = scheme === 'https' || scheme === 'http';
  if (isWeb && !PLAIN_HOST.test(url.hostname)) return 'names a host that cannot be.';
  if (scheme === 'http' && !mayBeHttp && !LOOPBACK.test(url.hostname))
    return 'is plain http: to another machine, where everybody on the way could read the password; use https:.';
  // myapp:words is no place that a query could be added to.
  if (!isWeb && !/^[a-z][a-z0-9+.-]*:\//.test(url.href)) return `has no / after ${url.protocol}`;
  return undefined;
}

/** Reads success_url or reject_url, which may be empty. `mayBeHttp`: plain http: may leave this machine, too. */
export function readReturnAddress(name: string, text: string, mayBeHttp: boolean): ReadAddress {
  if (text.trim() === '') return { ok: true, address: null };
  const url = text.length <= LONGEST && URL.canParse(text) ? new URL(text) : undefined;
  const fault =
    url === undefined
      ? `is not a whole address of at most ${LONGEST} characters, such as https://example.org/back.`
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

/** The address with these in its query: other words of the query stay as they are, byte for byte. */
export function withQuery({ href }: ReturnAddress, added: Readonly<Record<string, string>>): string {
  const [beforeFragment = '', ...fragments] = href.split('#');
  const [path = '', ...query] = beforeFragment.split('?');
  const nameOf = (pair: string) => new URLSearchParams(pair).keys().next().value ?? '';
  const kept = query
    .join('?')
    .split('&')
    .filter((pair) => pair !== '' && !Object.hasOwn(added, nameOf(pair)));
  const own = Object.entries(added).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return [`${path}?${[...kept, ...own].join('&')}`, ...fragments].join('#');
}
