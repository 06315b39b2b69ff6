import { createHash } from 'node:crypto';
import type { CountOptions } from '../../language/plan/lower-query';
import type { ResolvedQuery } from '../../language/types/resolved-query';
import type { Steps } from '../../language/types/steps';

/**
 * A digest of everything that affects the result, except the versions of the sites. Contracts affect it only through the resolved
 * query, so identical queries under different contracts share a key.
 */
export function* resultKey(
  { scope, use, views, ...asked }: ResolvedQuery,
  { alwaysCount }: Pick<CountOptions, 'alwaysCount'>,
): Steps<string> {
  const { trackingId, all, siteIds } = scope;
  const hash = createHash('sha256');
  const add = (part: unknown) => hash.update(JSON.stringify(part));
  add([trackingId, all, siteIds, use.name, alwaysCount, asked]);
  for (const { calc, ...view } of views) {
    add([view, calc?.length]);
    for (const one of calc ?? []) {
      add(one);
      yield;
    }
    yield;
  }
  return hash.digest('base64url');
}
