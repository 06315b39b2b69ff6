// THE SEAM between the host and its extensions: types, and the few values both sides need.
// An extension gets a Host when it is registered, and knows nothing else about the program around it.
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { z } from 'zod';
import type { ReadPool } from '../db/read-pool';

export { NoConnection, type Patience, type Queryable, type ReadPool } from '../db/read-pool';

/** The present instant. Passed in, so that tests can stop it. */
export type Clock = () => Date;

/** An extension cannot work with one of its settings. The message names the variable and says what would be right. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** An environment variable. */
export interface Setting {
  readonly variable: string;
  /** One phrase, for help and the page System. */
  readonly about: string;
  /** Reads the text. Its description completes the sentence "PORT must be ...". */
  readonly shape: z.ZodType;
  /** The text that an unset variable stands for. */
  readonly fallback?: string;
  /** The value may hold a password and is never shown. */
  readonly secret?: boolean;
}

/** Key of the value -> its variable. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** What a table reads; without a fallback a value may be undefined. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Key in keyof Table]:
    | z.output<Table[Key]['shape']>
    | (Table[Key] extends { readonly fallback: string } ? never : undefined);
};

/** A setting that is a whole number, both ends included. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most)
    .describe(`a whole number from ${least} to ${most}`);

/** A setting that is one of these words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words).describe(`one of ${words.join(', ')}`);

/** Structured log: fields first, then a sentence (pino's order). */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What an account may do besides reading its sites. auth/roles.ts gives each role its capabilities. */
export type Capability =
  | 'read'
  | 'list_users'
  | 'edit_users'
  | 'manage_sites'
  | 'activate_plugins'
  | 'manage_options';

/** The application password that a call was made with. */
export interface ApplicationKey {
  readonly uuid: string;
  readonly name: string;
  /** Per cent of its owner's rate limit; null = all of it. */
  readonly rateShare: number | null;
  /** It expires, or is limited to sites, addresses or a share. Such a password cannot create or change passwords. */
  readonly restricted: boolean;
}

/** A logged-in user, limited to what the credentials of this call allow. */
export interface HostUser {
  readonly id: number;
  readonly login: string;
  readonly displayName: string;
  readonly role: 'administrator' | 'analyst';
  readonly capabilities: readonly Capability[];
  /** Ids of the sites this call may read. `all` for an administrator, unless the key limits it. */
  readonly sites: 'all' | readonly string[];
  /** IANA name of the time zone in which this person is shown instants. Sites have time zones of their own. */
  readonly timezone: string;
  /** null in a session of the pages and on the command line. */
  readonly key: ApplicationKey | null;
}

/** One REST request after authentication. `path` is relative to the namespace; `body` is the raw text. */
export interface HostRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** What the address has where the route's path has names in braces. */
  readonly params: Readonly<Record<string, string>>;
  /** The last text of a repeated name. A list (`name[]=a`) is JSON: `["a"]`. */
  readonly query: Readonly<Record<string, string>>;
  /** The query as part of an address, for links to the same list. */
  readonly search: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Scheme, host and port as the caller wrote them, without a slash at the end. */
  readonly home: string;
  /** Address of the REST interface as the caller wrote it, with a slash at its end. */
  readonly restRoot: string;
  /** False when a password may not travel over this connection. */
  readonly credentialsAllowed: boolean;
  readonly body: string;
  readonly user: HostUser | null;
  /** Aborted when the client leaves before the answer is sent. */
  readonly signal: AbortSignal;
}

/** An answer: `body` is sent as JSON. */
export interface HostResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What the host itself refuses inside a namespace; the namespace gives it its own wording and shape. */
export type HostFailure =
  | { readonly kind: 'unauthorized'; readonly reason: string }
  | {
      readonly kind: 'rate-limited';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    }
  /** One address has tried too many wrong passwords; the right one is not looked at either. */
  | {
      readonly kind: 'too-many-failed-logins';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    }
  | { readonly kind: 'body-too-large'; readonly limitBytes: number }
  /** Sent as another media type than JSON, in another charset, compressed (all `type`), or bytes that are not UTF-8. */
  | {
      readonly kind: 'not-json';
      readonly problem: 'type' | 'utf-8';
      /** A whole sentence. */
      readonly reason: string;
    }
  | { readonly kind: 'internal'; readonly requestId: string };

/** What is wrong with one parameter. */
export interface InvalidParam {
  readonly code: string;
  /** A whole sentence. */
  readonly message: string;
  readonly data: object | null;
}

/**
 * Who may call a route. There is no default: a route without a permission is refused at registration. It decides before
 * anything of the body is read, and which methods the header `Allow` tells this user.
 */
export type Permission =
  | 'public'
  | 'logged-in'
  | ((user: HostUser, params: Readonly<Record<string, string>>) => boolean);

/** Which budget a call is charged to. There is no default either. */
export type RateLimit = 'none' | 'per-user';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Status -> what the body of such an answer looks like. */
export type RouteOutput = Readonly<Record<number, z.ZodType>>;

interface RouteBase<Input extends z.ZodObject> {
  /** Starts with a slash, relative to the namespace: `/query`, or `/users/{id}` with a property `id` of `input`. */
  readonly path: string;
  readonly methods: readonly Method[];
  readonly summary: string;
  /**
   * Every parameter, wherever it comes from: address, query or body. The self-description is derived from it.
   * - A name in the path is a whole number, or a text with a regular expression that says what it matches.
   * - A property that is `readonly()` may be sent, does nothing and is not described.
   */
  readonly input: Input;
  readonly permission: Permission;
  readonly rateLimit: RateLimit;
  /** Replaces the usual refusal of callers without permission. `user` is null for an anonymous one. */
  refuse?(request: HostRequest): HostResponse;
}

/**
 * The host reads the parameters, checks them by `input`, and refuses faults in its own words. The address wins over the
 * body (JSON or a form), the body over the query. Numbers, booleans and lists may come as text. null means "not sent",
 * and so does an empty text of an optional parameter, unless its meta says `{ emptyIsSent: true }`.
 */
export interface CheckedRoute<
  Input extends z.ZodObject = z.ZodObject,
  Output extends RouteOutput = RouteOutput,
> extends RouteBase<Input> {
  readonly checkedBy: 'host';
  readonly output: Output;
  /** Checks that need more than the schema, by parameter; reported together with the schema's. Faulty values are left out. */
  check?(request: CheckedRequest<Partial<z.output<Input>>>): Promise<Readonly<Record<string, InvalidParam>>>;
  handle(request: CheckedRequest<z.output<Input>>): Promise<RouteAnswer<NoInfer<Output>>>;
}

/** The route gets the body as text and checks everything itself; `input` only describes what it takes. */
export interface RawRoute extends RouteBase<z.ZodObject> {
  readonly checkedBy: 'route';
  readonly output?: RouteOutput;
  handle(request: HostRequest): Promise<HostResponse>;
}

export type RouteDefinition = CheckedRoute | RawRoute;

export interface CheckedRequest<Values = Readonly<Record<string, unknown>>> extends HostRequest {
  readonly values: Values;
}

/** An answer with one of the statuses of `output`, or a refusal. */
export type RouteAnswer<Output extends RouteOutput> =
  | {
      [Status in keyof Output & number]: HostResponse & {
        readonly status: Status;
        readonly body: z.input<Output[Status]>;
      };
    }[keyof Output & number]
  | Refusal;

export interface Refusal extends HostResponse {
  readonly body: {
    readonly code: string;
    readonly message: string;
    readonly data: { readonly status: number };
  };
}

/** Types the handler of a route by its `input` and `output`. */
export const defineRoute = <Input extends z.ZodObject, const Output extends RouteOutput>(
  route: CheckedRoute<Input, Output>,
): RouteDefinition => route;

/** The name of a namespace: words joined by slashes. */
export const NAMESPACE_PATTERN = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/;

export interface NamespaceDefinition {
  /** Without slashes at the ends: `qa-platform`. */
  readonly name: string;
  readonly description: string;
  readonly routes: readonly RouteDefinition[];
  /** Links of the self-description: relation -> route with its namespace, `/qa-platform-docs/openapi`. */
  readonly links?: Readonly<Record<string, string>>;
  /** The namespace's own form for what the host refuses. The host adds Retry-After. */
  answerFailure?(failure: HostFailure, request: HostRequest): HostResponse;
}

/** A site that users can be granted. Extensions tell the host which there are. */
export interface KnownSite {
  readonly trackingId: string;
  readonly name: string;
  readonly domain: string;
  readonly timezone: string;
}

/** Something to copy after an application password was created: a command, a configuration. */
export interface UsageExample {
  readonly title: string;
  readonly about: string;
  readonly text: string;
}

/** What happens in the host: name -> the arguments of a callback. */
export interface Actions {
  /** Register routes now. */
  rest_api_init: [rest: { registerNamespace(definition: NamespaceDefinition): void }];
  /** Register pages now. */
  admin_menu: [menu: { registerPage(page: AdminPage): void }];
  application_password_created: [event: { readonly userId: number; readonly uuid: string }];
  application_password_revoked: [event: { readonly userId: number; readonly uuids: readonly string[] }];
  user_logged_in: [event: { readonly userId: number }];
  /** The server listens and has not greeted anybody yet. A JobFailed stops it. */
  server_started: [
    start: {
      /** Aborted when the server is asked to stop. */
      readonly signal: AbortSignal;
      err(text: string): void;
      readonly openProgress: OpenProgress;
    },
  ];
  /** The server takes no more requests, and closes its database next. */
  server_stopped: [];
  /** Finish the work that goes on after answers were sent: the server stops, or a test wants to look. */
  settle: [];
}

/** What the host asks extensions: name -> the value that each callback passes on, and what it is told. */
export interface Filters {
  /** All sites. */
  known_sites: { readonly value: readonly KnownSite[]; readonly told: undefined };
  /** Shown beside a new application password. `secret` is in groups of four, as people see it. */
  application_password_examples: {
    readonly value: readonly UsageExample[];
    readonly told: {
      readonly login: string;
      readonly secret: string;
      readonly restRoot: string;
      /** The sites the application password may read. Name no others. */
      readonly sites: HostUser['sites'];
    };
  };
  /** Printed once the server is ready. `secret` is an application password, or a placeholder for one. */
  welcome_lines: {
    readonly value: readonly string[];
    /** `restRoot` ends with a slash. */
    readonly told: { readonly login: string; readonly secret: string; readonly restRoot: string };
  };
  /** Lines of the page "System": title -> text. */
  system_facts: { readonly value: readonly (readonly [string, string])[]; readonly told: undefined };
}

export type ActionCallback<Name extends keyof Actions> = (...told: Actions[Name]) => void | Promise<void>;

export type FilterCallback<Name extends keyof Filters> = (
  value: Filters[Name]['value'],
  told: Filters[Name]['told'],
) => Filters[Name]['value'] | Promise<Filters[Name]['value']>;

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
  /** What it takes besides a GET of its own address. Everything else is answered 404, a form 400. */
  readonly takes?: {
    /** How many words the address may have after the slug; the page decides which. */
    readonly words?: number;
    readonly post?: boolean;
  };
  /** A POST arrives only with the nonce of its session. Throws a PageError for a fault of the caller. */
  handle(request: AdminRequest): Promise<AdminAnswer>;
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
      /** Path of the template from the root of the package, without its ending: `extension/admin/views/goals`. */
      readonly view: string;
      /** `it` in the template, together with what every template has (admin/page-frame.ts). */
      readonly data: object;
      /** Browser modules: `extension/playground`. */
      readonly scripts?: readonly string[];
      /** Stylesheets besides the one of all pages, from a folder `admin/style`: `extension/extension`. */
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

/** How a command is called on the command line. */
export interface CommandUsage {
  /** One word, or two for a command of a group: `query`, `features list`. */
  readonly name: string;
  readonly summary: string;
  /** All of them are required. */
  readonly args: readonly {
    readonly name: string;
    readonly about: string;
    readonly choices?: readonly string[];
  }[];
  readonly options: readonly {
    /** `--site <id>` takes a text, `--analyze` takes none. */
    readonly flags: string;
    readonly about: string;
    readonly choices?: readonly string[];
    readonly required?: boolean;
    /** The text of an option that is left out. */
    readonly fallback?: string;
    /** What is wrong with a text, as a sentence. */
    check?(text: string): string | undefined;
  }[];
}

/** A command of an extension. A JobFailed ends the program with exit code 1, a WrongUsage with 2. */
export interface CommandDefinition extends CommandUsage {
  run(input: CommandInput): Promise<void>;
}

/** The job could not be done; the message is one sentence for the person at the keyboard. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
}

/** The command was called wrongly; the message is one sentence that says what would be right. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** The local person at the keyboard, with an administrator's rights. */
  readonly user: HostUser;
  /** Aborted at the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** The text of a file, or of standard input for `-`. Like `openFile` it throws a WrongUsage for a file it cannot read. */
  readText(fileOrDash: string): Promise<string>;
  openFile(fileOrDash: string): Promise<InputFile>;
  /** To standard output: results only. */
  out(text: string): void;
  /** To standard error. */
  err(text: string): void;
  /** Rows of text in aligned columns, to standard output. */
  table(rows: readonly (readonly string[])[]): void;
  openProgress: OpenProgress;
}

/** A file, or standard input, that is read piece by piece. */
export interface InputFile {
  readonly stream: Readable;
  /** Its size; undefined for standard input and for a pipe. */
  readonly bytes: number | undefined;
}

/** Shows on standard error how far a long job is. Without a total there is no bar, only the remarks. */
export type OpenProgress = (total?: number) => Progress;

export interface Progress {
  /** `done` of the total; `remark` says it in words. */
  show(done: number, remark: string): void;
  /** Ends the display. Call it before anything else is written. */
  close(): void;
}

/** `read` can only read: the database enforces it. `write` can do everything. */
export interface HostDatabase {
  readonly read: ReadPool;
  readonly write: Knex;
}

/** What an extension may use at any time. */
export interface HostTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly database: HostDatabase;
  /** The folder of this installation's files. An extension may keep a folder of its own there. */
  readonly dataDir: string;
}

/** What an extension gets while it is registered. Callbacks with a lower `priority` (default 10) come first. */
export interface Host extends HostTools {
  addAction<Name extends keyof Actions>(name: Name, callback: ActionCallback<Name>, priority?: number): void;
  addFilter<Name extends keyof Filters>(name: Name, callback: FilterCallback<Name>, priority?: number): void;
  registerCommand(definition: CommandDefinition): void;
}

/** A schema of the extension's own, and the folder of its SQL files: each is applied once, in the order of their names. */
export interface ExtensionStorage {
  readonly schema: string;
  readonly migrations: string;
}

/** Grows when extensions written for the host until then stop working. */
export const HOST_API = 1;

export interface Extension {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly requires: {
    /** The HOST_API it was written for. */
    readonly hostApi: number;
    /** Names of extensions that must be active before it. */
    readonly extensions?: readonly string[];
  };
  /** The first start fails without it. Later starts report that it is missing and go on. */
  readonly required?: boolean;
  /** The commands it will register, known beforehand so that help needs no database. */
  readonly commands: readonly CommandUsage[];
  /** Its own tables. `database.read` reads them. */
  readonly storage?: ExtensionStorage;
  /** First word of the commands with two -> what the group is about. */
  readonly commandGroups?: Readonly<Record<string, string>>;
  /** Before its first registration, and whenever it is turned on again. */
  activate?(tools: HostTools): Promise<void>;
  /** After it was turned off and is out of reach. Its settings stay. */
  deactivate?(tools: HostTools): Promise<void>;
  /** Removes its own settings. Measured data stay. */
  uninstall?(tools: HostTools): Promise<void>;
  /** At every start while it is active. Throws when it cannot work here: a SettingError for a wrong setting. */
  register(host: Host): Promise<void>;
}

/** An extension as the program lists it: the host reads the settings and creates the extension from their values. */
export interface ExtensionFactory<Table extends SettingTable = SettingTable> {
  readonly settings: Table;
  create(values: SettingValues<Table>): Extension;
}
