// Owns what makes two queries equal: then the result of one is the result of the other.
// Resolved query + options -> a short text, different for whatever could give other rows.
import { createHash } from 'node:crypto';
import type { QueryContext } from '../qal/types/query-context';
import type { ResolvedQuery } from '../qal/types/resolved-query';

/** What besides the query itself decides about the result. How it is planned does not. */
export type ResultOptions = Pick<QueryContext, 'alwaysCount'>;

/**
 * The key of a query. All that the phases after resolve are given is in it, with the numbers of the sites and the versions
 * of their data; a contract leaves its mark in the query alone, so equal queries of two contracts have one key.
 */
export function resultKey({ scope, use, ...asked }: ResolvedQuery, { alwaysCount }: ResultOptions): string {
  const { trackingId, all, states } = scope;
  const sites = states.map(({ siteId, version }) => [siteId, version]);
  const text = JSON.stringify([trackingId, all, sites, use.name, alwaysCount, asked]);
  return createHash('sha256').update(text).digest('base64url');
}
