// Pages under /wp-admin/.
import type { Capability, HostUser } from './users';

/** The sections of the menu. */
export type MenuGroup = 'Data' | 'Installation' | 'Account';

/** A page under /wp-admin/: a template filled with data. */
export interface AdminPage {
  /** Address and name: `goals` is /wp-admin/goals. */
  readonly slug: string;
  readonly title: string;
  /** null: only links lead to it. */
  readonly group: MenuGroup | null;
  /** Place within its group, in ascending order. */
  readonly position: number;
  /** Who may see it. There is no default. */
  readonly capability: Capability;
  /** The requests it accepts besides a GET of its own address. Others are answered with 404, a form with 400. */
  readonly takes?: {
    /** How many words the address may have after the slug; the page decides which. */
    readonly words?: number;
    readonly post?: boolean;
  };
  /** A POST arrives only with the nonce of its session. Throws a PageError for a fault of the caller. */
  handle(request: AdminRequest): Promise<AdminAnswer>;
  /** What a link to it shows: the same for everybody, with what the script asks by the key of the link. */
  forLinks?(): AdminAnswer & { readonly kind: 'page' };
}

export interface AdminRequest {
  readonly method: 'GET' | 'POST';
  /** Words of the address after the slug: /wp-admin/goals/demo/3 has `demo` and `3`. */
  readonly words: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  /** The fields of a POST; empty for GET. */
  readonly form: URLSearchParams;
  readonly user: HostUser;
  readonly home: string;
  /** Address of the REST interface, with a slash at its end. */
  readonly restRoot: string;
  readonly signal: AbortSignal;
}

/** Everything below it needs a login. */
export const ADMIN_PATH = '/wp-admin';
/** Where the documentation of this version is, without a login. */
export const DOCS_PATH = '/docs';

/** Links to pages, for people without an account. The key comes after the #, so that no server and no log ever sees it. */
export const LINK_PATH = '/link';
/** The header with the key of a link. */
export const LINK_HEADER = 'x-link-key';

/** The path of a page: `pageAddress('goals', 'demo', '3')` is /wp-admin/goals/demo/3. Templates have it as `it.page`. */
export const pageAddress = (slug: string, ...words: readonly (string | number)[]): string =>
  [ADMIN_PATH, slug, ...words.map((word) => encodeURIComponent(word))].join('/');

export type AdminAnswer =
  | {
      readonly kind: 'page';
      /** 200 by default; 400 shows a form again with its faults, 409 one that somebody else has overtaken. */
      readonly status?: number;
      /** Replaces the title of the page. */
      readonly title?: string;
      /** Path of the template from the root of the package, without its ending: `extension/pages/views/goals`. */
      readonly view: string;
      /** `it` in the template, together with what every template has (admin/page-frame.ts). */
      readonly data: object;
      /** Browser modules: `extension/playground`. */
      readonly scripts?: readonly string[];
      /** Stylesheets besides the one of all pages, from a folder `style`: `extension/extension`. */
      readonly styles?: readonly string[];
      /** Other places its forms may lead to: origins or schemes. */
      readonly formTargets?: readonly string[];
    }
  /** After a change. The next page shows `notice` once; it is stored until then, so it must not be a secret. */
  | {
      readonly kind: 'redirect';
      /** A path of this host. With `elsewhere` any address; only the authorize page does that, and checks it. */
      readonly to: string;
      readonly elsewhere?: boolean;
      readonly notice?: string;
    };

/** A fault of the caller of a page, shown as a page with this status. */
export class PageError extends Error {
  override readonly name = 'PageError';
  constructor(
    readonly status: 400 | 403 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}
