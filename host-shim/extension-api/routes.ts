// REST: a request, its answer, and the routes of a namespace.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { HostUser } from './users';

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
  /** The nearest address that is not one of a trusted proxy; empty where it cannot be read. */
  readonly callerAddress: string;
  /** Scheme, host and port as the caller wrote them, without a slash at the end. */
  readonly home: string;
  /** Address of the REST interface as the caller wrote it, with a slash at its end. */
  readonly restRoot: string;
  /** Which of these media types the header Accept prefers, the first of equals; undefined where it takes none. */
  readonly accepts: (types: readonly string[]) => string | undefined;
  /** False when a password may not travel over this connection. */
  readonly credentialsAllowed: boolean;
  readonly body: string;
  readonly user: HostUser | null;
  /** What the route's `ahead` gave; undefined where the caller was found in another way, as in a session. */
  readonly ahead?: unknown;
  /** Aborted when the client leaves before the answer is sent. */
  readonly signal: AbortSignal;
  /** Runs this when the answer is sent, or its client has gone. */
  onClose(run: () => void): void;
}

/** An answer: `body` is sent as JSON (undefined: nothing), or else `pieces` as they come. */
export interface HostResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Whether there are JsonLists in the body. */
  readonly hasLists?: boolean;
  /**
   * Sent instead of the body, which is null then, with the Content-Type of `headers`. They are always iterated. What they
   * throw after the first one breaks the connection, so that a client cannot take a part for the whole.
   */
  readonly pieces?: AsyncIterable<Uint8Array>;
}

/** What the host itself refuses inside a namespace; the namespace decides its wording and shape. */
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
  /** The database does not answer; it passes. */
  | { readonly kind: 'unavailable'; readonly retryAfterSeconds: number }
  | { readonly kind: 'internal'; readonly requestId: string };

/** How soon to ask again where the database does not answer. */
export const UNAVAILABLE = { kind: 'unavailable', retryAfterSeconds: 5 } as const satisfies HostFailure;

/** What is wrong with one parameter. */
export interface InvalidParam {
  readonly code: string;
  /** A whole sentence. */
  readonly message: string;
  readonly data: object | null;
}

/**
 * Who may call a route. There is no default: a route without a permission is refused at registration. It decides before
 * anything of the body is read, and which methods the header `Allow` lists for this user.
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
   * - A name in the path is a whole number, or a text with a regular expression for what it matches.
   * - A property that is `readonly()` may be sent, does nothing and is not described.
   */
  readonly input: Input;
  readonly permission: Permission;
  readonly rateLimit: RateLimit;
  /** Links to this page may call the route, whatever its permission; links may call no other. */
  readonly opens?: string;
  /** Replaces the usual refusal of callers without permission. `user` is null for an anonymous one. */
  refuse?(request: HostRequest): HostResponse;
}

/**
 * The host reads the parameters, checks them by `input`, and refuses faults in its own words. The address wins over the
 * body (JSON or a form), the body over the query. Numbers, booleans and lists may come as text. null means "not sent",
 * and so does an empty text of an optional parameter, unless its meta has `{ emptyIsSent: true }`.
 */
export interface CheckedRoute<
  Input extends z.ZodObject = z.ZodObject,
  Output extends RouteOutput = RouteOutput,
> extends RouteBase<Input> {
  readonly checkedBy: 'host';
  /** `stream`: the body is data of any size for `openBody`, and all parameters are in the address. */
  readonly body?: 'stream';
  readonly output: Output;
  /** Checks that need more than the schema, by parameter; reported together with the schema's. Faulty values are left out. */
  check?(request: CheckedRequest<Partial<z.output<Input>>>): Promise<Readonly<Record<string, InvalidParam>>>;
  handle(request: CheckedRequest<z.output<Input>>): Promise<RouteAnswer<NoInfer<Output>>>;
}

/** The route gets the body as text and checks everything itself; `input` only describes what it takes. */
export interface RawRoute extends RouteBase<z.ZodObject> {
  readonly checkedBy: 'route';
  readonly output?: RouteOutput;
  /** What every call of it reads. */
  readonly ahead?: CallerAhead;
  handle(request: HostRequest): Promise<HostResponse>;
}

/** What a route reads in the statement that finds the caller, which saves a round trip to the database. */
export interface CallerAhead {
  /** Of the statement. Routes with the same name have the same `select`. */
  readonly name: string;
  /** A SELECT of one value that changes nothing. Its only parameter is `$2::text[]`: what `texts` returns. */
  readonly select: string;
  texts(): readonly string[];
}

export type RouteDefinition = CheckedRoute | RawRoute;

export interface CheckedRequest<Values = Readonly<Record<string, unknown>>> extends HostRequest {
  readonly values: Values;
  /**
   * The body as it arrives, decompressed. For routes with `body: 'stream'`, once. It fails where the client goes away, sends
   * too slowly, or sends a body that is not compressed as its header says; that failure, thrown on, answers the request.
   */
  openBody(): Readable;
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
