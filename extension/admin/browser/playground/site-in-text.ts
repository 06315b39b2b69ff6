// The site of a query, read from its text and written into it without touching anything else.
import { memberOf, readQueryText, stringOf } from './query-text';

/** What the query says; undefined while it says none. */
export const siteIn = (text: string): string | undefined =>
  stringOf(memberOf(readQueryText(text).query, 'tracking_id'));

/** The text with another site; the same text where no site stands in it. */
export function withSite(text: string, trackingId: string): string {
  const node = memberOf(readQueryText(text).query, 'tracking_id');
  if (node === undefined) return text;
  const after = text.slice(node.offset + node.length);
  return text.slice(0, node.offset) + JSON.stringify(trackingId) + after;
}
