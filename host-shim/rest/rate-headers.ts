// The three X-RateLimit headers: what is left to the caller, in the window that is the tighter one.
// Reset is an instant in UNIX seconds; Retry-After, which counts from now, stands beside it where a call is refused.
import type { Charge } from '../rate-limit/user-budget';

export const rateHeaders = ({
  limit,
  remaining,
  resetAt,
}: Pick<Charge, 'limit' | 'remaining' | 'resetAt'>): Readonly<Record<string, string>> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetAt),
});
