// Whether a form was sent from a page of this host, by what the browser itself says of it.
// Browsers that say nothing (and programs) are let through: the nonce, or the password, is what counts then.
import type { Request } from 'express';
import { homeOf } from '../rest/rest-handler';

export function isFromHere(request: Request): boolean {
  const site = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const origin = request.get('origin');
  return origin === undefined || origin === homeOf(request);
}
