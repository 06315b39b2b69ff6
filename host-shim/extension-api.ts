// THE SEAM between the host and its extensions: types, and the one error that both sides know.
// An extension gets a Host when it is registered and knows nothing else of the program around it.
import type { Knex } from 'knex';

/** The present instant; passed in, so that a test can hold it still. */
export type Clock = () => Date;

/** An extension cannot work with one of its settings; the message names the variable and what would be right. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** Structured log: fields first, then a sentence (pino's order). */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logged-in user. `sites` holds tracking ids; `all` is what an administrator has. */
export interface HostUser {
  readonly id: number;
  readonly login: string;
  readonly role: 'administrator' | 'analyst';
  readonly sites: 'all' | readonly string[];
}

/** One REST request after authentication. `path` is relative to the namespace; `body` is the raw text. */
export interface HostRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly user: HostUser | null;
  /** Aborted when the client goes away before the answer is sent. */
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
  /** Sent as another media type than JSON, compressed, or not UTF-8; `reason` is a whole sentence. */
  | { readonly kind: 'not-json'; readonly reason: string }
  | { readonly kind: 'internal'; readonly requestId: string };

/** An argument of a route as the namespace's self-description shows it. */
export interface RouteArgument {
  readonly type: 'string' | 'integer' | 'boolean' | 'object';
  readonly description: string;
  readonly required: boolean;
}

/** Who may call a route. There is no default: a route without a permission is refused at registration. */
export type Permission = 'public' | 'logged-in' | ((user: HostUser) => boolean);

/** Which budget a call is charged to. There is no default either. */
export type RateLimit = 'none' | 'per-user';

export interface RouteDefinition {
  /** Begins with a slash, relative to the namespace: `/query`. */
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST')[];
  readonly summary: string;
  readonly args: Readonly<Record<string, RouteArgument>>;
  readonly permission: Permission;
  readonly rateLimit: RateLimit;
  handle(request: HostRequest): Promise<HostResponse>;
}

export interface NamespaceDefinition {
  /** Without slashes at the ends: `qa-platform`. */
  readonly name: string;
  readonly description: string;
  readonly routes: readonly RouteDefinition[];
  /** What the self-description links to: relation -> route with its namespace, `/qa-platform-docs/openapi`. */
  readonly links?: Readonly<Record<string, string>>;
  /** The namespace's own spelling of what the host refuses. Headers such as Retry-After are the host's. */
  answerFailure(failure: HostFailure, request: HostRequest): HostResponse;
}

/** How a command of the `qal` command line is called. */
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
    readonly flags: string;
    readonly about: string;
    readonly choices?: readonly string[];
  }[];
}

/** A command that an extension adds. `run` returns the exit code. */
export interface CommandDefinition extends CommandUsage {
  run(input: CommandInput): Promise<number>;
}

export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** The local person at the keyboard, with an administrator's rights. */
  readonly user: HostUser;
  /** Aborted at the first Ctrl-C. */
  readonly signal: AbortSignal;
  readText(fileOrDash: string): Promise<string>;
  out(text: string): void;
  err(text: string): void;
}

/** `read` can only read (the database enforces it); `write` is for an extension's own settings tables. */
export interface HostDatabase {
  readonly read: Knex;
  readonly write: Knex;
}

export interface Host {
  readonly clock: Clock;
  readonly log: Log;
  readonly database: HostDatabase;
  registerNamespace(definition: NamespaceDefinition): void;
  registerCommand(definition: CommandDefinition): void;
}

export interface Extension {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The commands that it will register, known beforehand so that help needs no database. */
  readonly commands: readonly CommandUsage[];
  /** The first word of commands of two words -> what the group is about. */
  readonly commandGroups?: Readonly<Record<string, string>>;
  /** Throws when the extension cannot work here (a SettingError for a setting); the start then stops with its name. */
  register(host: Host): Promise<void>;
}
