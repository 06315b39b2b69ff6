import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { HostUser } from './users';

/** `path` is relative to the namespace; `body` is the raw string. */
export interface HostRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Values of the braced names in the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** If a name is repeated, the last value wins. A list (`name[]=a`) is encoded as JSON: `["a"]`. */
  readonly query: Readonly<Record<string, string>>;
  /** The query string, for links to the same list. */
  readonly search: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The nearest address that is not a trusted proxy; empty if it cannot be parsed. */
  readonly callerAddress: string;
  /** Scheme, host and port as the client sent them, without a trailing slash. */
  readonly home: string;
  /** URL of the REST interface as the client sent it, with a trailing slash. */
  readonly restRoot: string;
  /**
   * Returns the media type that the Accept header prefers, the first one if several tie; undefined if it accepts none of them.
   */
  readonly accepts: (types: readonly string[]) => string | undefined;
  /** False if this connection is not safe for passwords. */
  readonly credentialsAllowed: boolean;
  readonly body: string;
  readonly user: HostUser | null;
  /** The result of the route's `ahead`; undefined without a user. */
  readonly ahead?: unknown;
  /** Aborted when the client disconnects before the response is sent. */
  readonly signal: AbortSignal;
  /** `run` is called once the response has been sent or the client has disconnected. */
  onClose(run: () => void): void;
}

/** `body` is sent as JSON (undefined: nothing), unless there are `pieces`. */
export interface HostResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Whether the body contains JsonLists. */
  readonly hasLists?: boolean;
  /**
   * Sent instead of `body`, which is then null, with the Content-Type from `headers`. Always iterated. An error after the first
   * piece breaks the connection, so that a client cannot mistake a partial body for a complete one.
   */
  readonly pieces?: AsyncIterable<Uint8Array>;
}

/** Why the host itself rejects a request in a namespace. The namespace determines the wording and format of the response. */
export type HostFailure =
  /** `needs`: what the request needs instead of an application password. */
  | {
      readonly kind: 'unauthorized';
      readonly reason: string;
      readonly needs?: 'link' | 'session' | undefined;
    }
  | {
      readonly kind: 'rate-limited';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    }
  /** Too many wrong passwords came from this address. The correct one is rejected too. */
  | {
      readonly kind: 'too-many-failed-logins';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    }
  | { readonly kind: 'body-too-large'; readonly limitBytes: number }
  /** `type`: an unsupported media type or charset, or a compressed body. `utf-8`: invalid bytes. */
  | {
      readonly kind: 'not-json';
      readonly problem: 'type' | 'utf-8';
      /** A full sentence. */
      readonly reason: string;
    }
  /** The database is temporarily unavailable. */
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number }
  /** The server has more requests than it can answer in time. Nothing was done, not even authentication. */
  | { readonly kind: 'overloaded'; readonly retryAfterSeconds: number }
  | { readonly kind: 'internal'; readonly requestId: string };

export const UNAVAILABLE = { kind: 'unavailable', retryAfterSeconds: 5 } as const satisfies HostFailure;

/** How many seconds a client waits before it repeats a request refused due to overload: random, so that clients return at different times. */
export const spreadRetry = (random: () => number): number => 5 + Math.floor(10 * random());

export interface InvalidParam {
  readonly code: string;
  /** A full sentence. */
  readonly message: string;
  readonly data: object | null;
}

/**
 * There is no default: a route without a permission is rejected at registration. The permission is checked before the body is
 * read, and determines which methods the `Allow` header lists for this user.
 */
export type Permission =
  | 'public'
  | 'logged-in'
  | ((user: HostUser, params: Readonly<Record<string, string>>) => boolean);

/** The budget that a call is charged to; `reading` is the larger one, for AI clients. There is no default. */
export type RateLimit = 'none' | 'per-user' | 'reading';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The schema of the body for each status. */
export type RouteOutput = Readonly<Record<number, z.ZodType>>;

interface RouteBase<Input extends z.ZodObject> {
  /** Relative to the namespace, with a leading slash: `/query`, or `/users/{id}` with a property `id` of `input`. */
  readonly path: string;
  readonly methods: readonly Method[];
  readonly summary: string;
  /**
   * Every parameter in the path, query and body. The self-description is generated from it.
   * - A name in the path is a whole number, or a string with a regular expression.
   * - A `readonly()` property is accepted but ignored, and is not described.
   */
  readonly input: Input;
  readonly permission: Permission;
  readonly rateLimit: RateLimit;
  /** While the server is overloaded, expensive routes are refused to callers who send many requests. */
  readonly isExpensive?: boolean;
  /** Links to this page may call the route, regardless of its permission. Links cannot call any other route. */
  readonly opens?: string;
  /** Replaces the default response to callers without permission. `user` is null if the caller is anonymous. */
  refuse?(request: HostRequest): HostResponse;
}

/**
 * The host reads the parameters, checks them against `input` and rejects invalid ones. The path takes precedence over the body
 * (JSON or a form), and the body over the query. Numbers, booleans and lists may be sent as strings. null means "not sent", and
 * so does an empty string for an optional parameter, unless its meta contains `{ emptyIsSent: true }`.
 */
export interface CheckedRoute<
  Input extends z.ZodObject = z.ZodObject,
  Output extends RouteOutput = RouteOutput,
> extends RouteBase<Input> {
  readonly checkedBy: 'host';
  /** `stream`: the body is data of any size for `openBody`; all parameters are in the path and query. */
  readonly body?: 'stream';
  readonly output: Output;
  /**
   * Checks what the schema cannot express, on valid values only. Errors are reported by parameter, together with the schema's.
   */
  check?(request: CheckedRequest<Partial<z.output<Input>>>): Promise<Readonly<Record<string, InvalidParam>>>;
  handle(request: CheckedRequest<z.output<Input>>): Promise<RouteAnswer<NoInfer<Output>>>;
}

/** The route receives the body as text and checks it; `input` only describes the parameters. */
export interface RawRoute extends RouteBase<z.ZodObject> {
  readonly checkedBy: 'route';
  readonly output?: RouteOutput;
  readonly ahead?: CallerAhead;
  handle(request: HostRequest): Promise<HostResponse>;
}

/** A query that runs in the statement that counts the call, to save a round trip. It runs only for permitted callers. */
export interface CallerAhead {
  /** The name of the prepared statement. Routes with the same name must have the same `select`. */
  readonly name: string;
  /** A SELECT of a single JSON value, without side effects. `texts` is its only parameter. */
  select(texts: string): string;
  texts(): readonly string[];
}

export type RouteDefinition = CheckedRoute | RawRoute;

export interface CheckedRequest<Values = Readonly<Record<string, unknown>>> extends HostRequest {
  readonly values: Values;
  /**
   * The decompressed body as it arrives, for routes with `body: 'stream'`. Can be called only once. The stream fails if the
   * client disconnects, is too slow, or sends invalid compressed data. Rethrow that error: it becomes the response.
   */
  openBody(): Readable;
}

/** A response with one of the statuses in `output`, or a refusal. */
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

/** Infers the handler's types from `input` and `output`. */
export const defineRoute = <Input extends z.ZodObject, const Output extends RouteOutput>(
  route: CheckedRoute<Input, Output>,
): RouteDefinition => route;

export const NAMESPACE_PATTERN = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/;

export interface NamespaceDefinition {
  /** Without leading and trailing slashes: `qa-platform`. */
  readonly name: string;
  readonly description: string;
  readonly routes: readonly RouteDefinition[];
  /** Links in the self-description: relation -> route with its namespace, such as `/qa-platform-docs/openapi`. */
  readonly links?: Readonly<Record<string, string>>;
  /** Formats the host's refusals for this namespace. The host adds Retry-After. */
  answerFailure?(failure: HostFailure, request: HostRequest): HostResponse;
}
