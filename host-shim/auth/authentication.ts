import type { Request, Response } from 'express';
import type { CallerAhead, HostUser } from '../extension-api';

export type AuthOutcome =
  /** The request has no credentials of the kind that this authenticator reads. */
  | { readonly kind: 'anonymous' }
  /** `freshNonce` is for the next call of a page; `ahead` is the result of the additional read. */
  | {
      readonly kind: 'user';
      readonly user: HostUser;
      readonly freshNonce?: string;
      readonly ahead?: unknown;
    }
  /** The nonce does not match the session: the request comes from a different website or an outdated page. */
  | { readonly kind: 'bad-nonce' }
  /** `reason` does not distinguish an unknown user from a wrong secret; `candid` does. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** The secret was correct; something else was not. */
      readonly proved?: true;
      readonly candid: { readonly code: string; readonly message: string };
    }
  | {
      readonly kind: 'too-many-failures';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    };

/** Name -> its value, or the items of a list (`name[]=a&name[]=b`). */
export type AddressQuery = Readonly<Record<string, string | readonly string[]>>;

/**
 * `query` comes from any form of address, including `rest_route=/x/?_wpnonce=...`. An authenticator that reads the user with one
 * statement also reads `ahead` with it.
 */
export type Authenticator = (
  request: Request,
  response: Response,
  query: AddressQuery,
  ahead?: CallerAhead,
) => Promise<AuthOutcome>;

/** The first outcome that is not `anonymous` counts. */
export function chainAuthenticators(authenticators: readonly Authenticator[]): Authenticator {
  return async (request, response, query, ahead) => {
    for (const authenticate of authenticators) {
      const outcome = await authenticate(request, response, query, ahead);
      if (outcome.kind !== 'anonymous') return outcome;
    }
    return { kind: 'anonymous' };
  };
}
