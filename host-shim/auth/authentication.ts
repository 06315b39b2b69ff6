// Who is calling: a chain of authenticators, asked in order until one knows the caller or refuses them.
// One link today (Basic with application passwords); a session cookie becomes the next one.
import type { Request, Response } from 'express';
import type { HostUser } from '../extension-api';

export type AuthOutcome =
  /** The request carries nothing that this authenticator reads. */
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly user: HostUser }
  /** `reason` is the same for an unknown user and a wrong secret; `candid` tells them apart. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly candid: { readonly code: string; readonly message: string };
    }
  | {
      readonly kind: 'too-many-failures';
      readonly limit: number;
      readonly windowSeconds: number;
      readonly retryAfterSeconds: number;
    };

export type Authenticator = (request: Request, response: Response) => Promise<AuthOutcome>;

/** One authenticator out of many: the first that does not answer `anonymous` decides. */
export function chainAuthenticators(authenticators: readonly Authenticator[]): Authenticator {
  return async (request, response) => {
    for (const authenticate of authenticators) {
      const outcome = await authenticate(request, response);
      if (outcome.kind !== 'anonymous') return outcome;
    }
    return { kind: 'anonymous' };
  };
}
