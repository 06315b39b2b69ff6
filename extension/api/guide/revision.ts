// The revision of a guide: a digest of the answer to one caller, by which clients know whether what they keep of it is still right.
import { createHash } from 'node:crypto';

export const REVISION_FEATURE = 'guide_revision';

/** The body with its revision, which covers all of it but the time of the request. */
export function withRevision(
  body: object & { readonly version?: unknown },
): object & { readonly revision: string } {
  const text = JSON.stringify({ ...body, timestamp: undefined });
  const revision = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return { version: body.version, revision, ...body };
}
