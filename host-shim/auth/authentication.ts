// The result of authenticating a caller, and the chain of authenticators, which are tried in order.
import type { Request, Response } from 'express';
import type { CallerAhead, HostUser } from '../extension-api';

export type AuthOutcome =
  /** The request has no credentials that this authenticator reads. */
  | { readonly kind: 'anonymous' }
  /** `freshNonce` is for the next call of a page; `ahead` was read together with the user. */
  | {
      readonly kind: 'user';
      readonly user: HostUser;
      readonly freshNonce?: string;
      readonly ahead?: unknown;
    }
  /** The nonce does not belong to the session: the request comes from a foreign or an old page. */
  | { readonly kind: 'bad-nonce' }
  /** `reason` does not tell an unknown user from a wrong secret; `candid` does. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** The secret was correct, and something else was not. */
      readonly proved?: true;
      readonly candid: { readonly code: string; readonly message: string };
    }
  | {
      readonly kind: 'too-many-failures';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    };

/** Name -> its text, or the items of a list (`name[]=a&name[]=b`). */
export type AddressQuery = Readonly<Record<string, string | readonly string[]>>;

/**
 * `query` is that of the address in any of its forms, `rest_route=/x/?_wpnonce=...` included. An authenticator that finds the
 * user in one statement reads `ahead` in it too.
 */
export type Authenticator = (
  request: Request,
  response: Response,
  query: AddressQuery,
  ahead?: CallerAhead,
) => Promise<AuthOutcome>;

/** The first authenticator that does not answer `anonymous` decides. */
export function chainAuthenticators(authenticators: readonly Authenticator[]): Authenticator {
  return async (request, response, query, ahead) => {
    for (const authenticate of authenticators) {
      const outcome = await authenticate(request, response, query, ahead);
      if (outcome.kind !== 'anonymous') return outcome;
    }
    return { kind: 'anonymous' };
  };
}
