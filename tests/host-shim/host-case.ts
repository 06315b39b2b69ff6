// A case for one of the host's guarantees, as data: a request and the expected response. host-answers.test.ts sends it over HTTP.
import type { Credentials } from '../support/test-host';

/** The guarantees in the host's design: some by number, others by name. */
export type GuaranteeId =
  | 1
  | 2
  | 3
  | 4
  | 5
  | 6
  | 7
  | 8
  | 9
  | 10
  | 11
  | 12
  | 'authorize'
  | 'challenge'
  | 'shape'
  | 'page';

/** The clauses of guarantees 1, 3, 5, 7, 9 and 10. There is a case for each clause. */
export const CLAUSES = [
  '1 scheme in any case',
  '1 first colon',
  '1 letters and digits alone',
  '1 letter case',
  '1 login in any case',
  '1 e-mail',
  '1 no login password',
  '1 no colon',
  '1 garbage',
  '1 empty half',
  '1 other scheme',
  '3 /wp-json',
  '3 /index.php',
  '3 /?rest_route',
  '3 trailing slash',
  '3 any case',
  '3 second ?',
  '3 doubled slashes',
  '5 shape',
  '5 unknown route',
  '5 wrong method',
  '5 rest_forbidden 401',
  '5 rest_forbidden 403',
  '5 rest_not_logged_in',
  '5 rest_invalid_json',
  '5 rest_missing_callback_param',
  '5 rest_invalid_param',
  '5 rest_cookie_invalid_nonce',
  '5 incorrect_password',
  '5 invalid_username',
  '5 generic in production',
  '7 application/json',
  '7 +json',
  '7 HEAD',
  '7 OPTIONS',
  '7 Allow',
  '7 Cache-Control',
  '7 X-Content-Type-Options',
  '7 X-Robots-Tag',
  '7 origin echo',
  '7 Access-Control-Expose-Headers',
  '9 users/me',
  '9 context=edit',
  '9 list',
  '9 create',
  '9 app_id',
  '9 delete all',
  '9 introspect',
  '9 read',
  '9 POST',
  '9 PUT',
  '9 PATCH',
  '9 delete',
  '9 dates',
  '9 cannot_list',
  '9 cannot_create',
  '9 cannot_delete all',
  '9 cannot_read',
  '9 cannot_edit',
  '9 cannot_delete',
  '9 not_found',
  '9 invalid_id',
  '9 no_authenticated_app_password',
  '9 empty_name',
  '10 X-WP-Nonce',
  '10 _wpnonce',
  '10 cookie alone',
  '10 bad nonce',
  '10 fresh nonce',
] as const;

export type Clause = (typeof CLAUSES)[number];

/** Placeholders that are replaced once the host is running: `{root}`, `{home}`, `{id:ann}`, `{key:ann}`, `{cookie}`, `{nonce}`. */
export interface HostCase {
  readonly line: GuaranteeId;
  readonly label: string;
  /** The clauses of the guarantee that this case covers. */
  readonly clauses?: readonly Clause[];
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'OPTIONS' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** `production` trusts its proxy, so a case can simulate client addresses. */
  readonly on?: 'local' | 'production';
  /** The user whose application password is sent. `narrow` has a restricted one. */
  readonly as?: 'ann' | 'root' | 'dan' | 'eve' | 'narrow';
  /** Builds the Authorization header from ann's application password. */
  readonly authorization?: (ann: Credentials) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | string;
  readonly status: number;
  /** Expected headers. Each is a string, a pattern, or null if the header must be absent. */
  readonly answerHeaders?: Readonly<Record<string, string | RegExp | null>>;
  /** Part of the JSON in the response. */
  readonly json?: unknown;
  /** All of the JSON in the response. */
  readonly whole?: unknown;
  readonly text?: string | RegExp;
}
