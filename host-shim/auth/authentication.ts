// Who is calling: a chain of authenticators, asked in order until one knows the caller or refuses them.
// The session cookie of the pages with a nonce that fits comes first, then Basic with application passwords.
import type { Request, Response } from 'express';
import type { HostUser } from '../extension-api';

export type AuthOutcome =
  /** The request carries nothing that this authenticator reads. */
  | { readonly kind: 'anonymous' }
  /** `freshNonce` is for the next call of a page. */
  | { readonly kind: 'user'; readonly user: HostUser; readonly freshNonce?: string }
  /** A nonce that fits no session of this request: another page asked, or an old one. */
  | { readonly kind: 'bad-nonce' }
  /** `reason` is the same for an unknown user and a wrong secret; `candid` tells them apart. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** The secret was right, and something else stood in the way. */
      readonly proved?: true;
      readonly candid: { readonly code: string; readonly message: string };
    }
  | {
      readonly kind: 'too-many-failures';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    };

/** What the query of an address says: name -> its text, or the items of a list (`name[]=a&name[]=b`). */
export type AddressQuery = Readonly<Record<string, string | readonly string[]>>;

/** `query` is that of the address in whatever form it came, `rest_route=/x/?_wpnonce=...` included. */
export type Authenticator = (
  request: Request,
  response: Response,
  query: AddressQuery,
) => Promise<AuthOutcome>;

/** One authenticator out of many: the first that does not answer `anonymous` decides. */
export function chainAuthenticators(authenticators: readonly Authenticator[]): Authenticator {
  return async (request, response, query) => {
    for (const authenticate of authenticators) {
      const outcome = await authenticate(request, response, query);
      if (outcome.kind !== 'anonymous') return outcome;
    }
    return { kind: 'anonymous' };
  };
}
