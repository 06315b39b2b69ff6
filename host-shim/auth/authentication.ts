import type { Request, Response } from 'express';
import type { HostUser } from '../extension-api';
import type { Entry } from '../rate-limit/user-budget';
import type { Condition } from '../rate-limit/window-counts';

export type AuthOutcome =
  /** The request has no credentials of the kind that this authenticator reads. */
  | { readonly kind: 'anonymous' }
  /** `freshNonce` is for the page's next call; `entry` is the result of `enter`, if it was called. */
  | {
      readonly kind: 'user';
      readonly user: HostUser;
      readonly freshNonce?: string;
      readonly entry?: Entry;
    }
  /** The nonce does not match the session: the request comes from a different website or an outdated page. */
  | { readonly kind: 'bad-nonce' }
  /** `reason` does not distinguish an unknown user from a wrong secret; `candid` does. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** Set for the key of a link. */
      readonly needs?: 'link';
      /** Set if the secret was correct but something else was wrong. */
      readonly proved?: true;
      readonly candid: { readonly code: string; readonly message: string };
    }
  | {
      readonly kind: 'too-many-failures';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    };

/** By name: a value, or the items of a list (`name[]=a&name[]=b`). */
export type AddressQuery = Readonly<Record<string, string | readonly string[]>>;

/**
 * Charges the call to a user who is known from an earlier request. Returns undefined if the user has changed since then or may
 * not make the call.
 */
export type Enter = (user: HostUser, isUnchanged: Condition) => Promise<Entry | undefined>;

/** `query` is parsed from the address in any of its forms, including `rest_route=/x/?_wpnonce=...`. */
export type Authenticator = (
  request: Request,
  response: Response,
  query: AddressQuery,
  enter?: Enter,
) => Promise<AuthOutcome>;

/** Returns the first outcome that is not `anonymous`. */
export function chainAuthenticators(authenticators: readonly Authenticator[]): Authenticator {
  return async (request, response, query, enter) => {
    for (const authenticate of authenticators) {
      const outcome = await authenticate(request, response, query, enter);
      if (outcome.kind !== 'anonymous') return outcome;
    }
    return { kind: 'anonymous' };
  };
}
