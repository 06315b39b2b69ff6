import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Capability, HostUser, KeptLimit } from './users';

export type MenuGroup = 'Data' | 'Installation' | 'Account';

export interface AdminPage {
  /** `goals` is at /wp-admin/goals. */
  readonly slug: string;
  readonly title: string;
  /** The how-to that the page links to: `pages` is at /docs/how-to/pages/. */
  readonly howTo?: string;
  /** null: not in the menu. */
  readonly group: MenuGroup | null;
  readonly position: number;
  /** Required to open the page; null opens it to every account. There is no default. */
  readonly capability: Capability | null;
  /** Requests that the page accepts in addition to a GET of its own address. Others get 404, or 400 for a form. */
  readonly takes?: {
    /** The maximum number of path segments after the slug; the page decides which are valid. */
    readonly words?: number;
    readonly post?: boolean;
  };
  /** Called for a POST only if it passes the nonce check. Throws a PageError for an invalid request. */
  handle(request: AdminRequest): Promise<AdminAnswer>;
  /** The page for people who open a link. It is the same for all links; its script sends the link's key with each call. */
  forLinks?(): AdminAnswer & { readonly kind: 'page' };
  /** Another limit, besides the site, that a link to the page may have. */
  readonly linkLimit?: LinkLimit;
  /**
   * The page for recipients of e-mails, in place of `forLinks`. Instead of a login, it requires the secret in `query`, which is
   * never logged.
   */
  forRecipients?(
    request: Pick<AdminRequest, 'method' | 'query'>,
  ): Promise<AdminAnswer & { readonly kind: 'page' }>;
}

/** A choice in the form that creates a link. The page's routes must apply the key's `linkLimit` to every call with the key. */
export interface LinkLimit {
  readonly label: string;
  /** The label of the option that does not limit the link. */
  readonly whole: string;
  readonly hint: string;
  options(
    user: HostUser,
    trackingId: string,
  ): Promise<readonly { readonly value: string; readonly label: string }[]>;
  /** Returns the value to store with the link as JSON; undefined if the site has no such option. */
  read(user: HostUser, trackingId: string, value: string): Promise<KeptLimit | undefined>;
}

/** `missing`: the account can do nothing else until it has set up a second factor. */
export type SecondFactorNeed = 'optional' | 'required' | 'missing';

export interface AdminRequest {
  readonly method: 'GET' | 'POST';
  /** Path segments after the slug: `demo` and `3` for /wp-admin/goals/demo/3. */
  readonly words: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  /** Empty for GET. */
  readonly form: URLSearchParams;
  readonly user: HostUser;
  readonly session: { readonly key: string; readonly secondFactor: SecondFactorNeed };
  readonly home: string;
  readonly restRoot: string;
  readonly signal: AbortSignal;
}

/** Every page below this path needs a login. */
export const ADMIN_PATH = '/wp-admin';
/** The documentation of this version; needs no login. */
export const DOCS_PATH = '/docs';

/**
 * Links to pages, for people without an account. The key is in the fragment (#), which browsers do not send, so it is never
 * logged.
 */
export const LINK_PATH = '/link';
export const LINK_HEADER = 'x-link-key';

/** `pageAddress('goals', 'demo', '3')` returns /wp-admin/goals/demo/3. Templates call it as `it.page`. */
export const pageAddress = (slug: string, ...words: readonly (string | number)[]): string =>
  [ADMIN_PATH, slug, ...words.map((word) => encodeURIComponent(word))].join('/');

/** The values that every template receives. */
export type TemplateValue = 'frame' | 'nonceField' | 'page' | 'number' | 'field' | 'time';

export type AdminAnswer =
  | {
      readonly kind: 'page';
      /** Default: 200. 400: the form with its errors. 409: someone else has changed the data in the meantime. */
      readonly status?: number;
      readonly title?: string;
      /** The template's path from the package root, without its extension: `extension/pages/views/goals`. */
      readonly view: string;
      /** Available as `it` in the template, together with the values that every template receives, which this object cannot replace. */
      readonly data: Readonly<Record<string, unknown>> & { readonly [Name in TemplateValue]?: never };
      /** Browser modules, such as `extension/playground`. */
      readonly scripts?: readonly string[];
      /** Additional stylesheets from a folder named `style`, such as `extension/extension`. */
      readonly styles?: readonly string[];
      /** Additional origins or schemes that forms may submit to. */
      readonly formTargets?: readonly string[];
    }
  /** A download. An error breaks the connection, so that a partial file is never mistaken for a complete one. */
  | {
      readonly kind: 'file';
      readonly name: string;
      /** The media type. */
      readonly type: string;
      readonly content: Readable;
    }
  /** After a change. The next page shows `notice` once. It is stored until then, so it must not contain a secret. */
  | {
      readonly kind: 'redirect';
      /** A path on this host. `elsewhere` allows any address; only the authorize page uses it, after checking the address. */
      readonly to: string;
      readonly elsewhere?: boolean;
      readonly notice?: string;
    };

interface Question {
  readonly title: string;
  /** The consequence of confirming. */
  readonly about: string;
  /** What is asked about. */
  readonly pairs?: readonly (readonly [title: string, text: string])[];
  /** Without a button, there is nothing to confirm. */
  readonly button?: string | undefined;
  /** The address that Cancel links to. */
  readonly cancel: string;
  /** Identifies the state that is shown. The form sends it back as `mark`. */
  readonly mark?: string;
  /** Why nothing was done when the button was pressed. */
  readonly fault?: string;
}

/** A page that asks for confirmation without a script. Its button posts to the page's own address. */
export const ask = ({
  title,
  ...data
}: Question): AdminAnswer & { readonly kind: 'page'; readonly title: string } => ({
  kind: 'page',
  title,
  status: data.fault === undefined ? 200 : 409,
  view: 'host-shim/admin/views/question',
  data: { pairs: [], ...data },
});

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/**
 * A short hash of the values that a form or a question showed, so that submitting it does not silently overwrite another user's
 * change. The order of the keys has no effect.
 */
export const markOf = (values: object): string =>
  hash('sha256', JSON.stringify(values, inOrder), 'base64url').slice(0, 22);

/** A client error, shown as a page with this status. */
export class PageError extends Error {
  override readonly name = 'PageError';
  constructor(
    readonly status: 400 | 403 | 404 | 409,
    message: string,
    /** If set, a form redirects to this page and shows the message there: after a double click, there is nothing left to do. */
    readonly to?: string,
  ) {
    super(message);
  }
}
