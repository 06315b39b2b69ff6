// The names of materials in other products.
import { byWord } from './by-word';

const MATERIALS = byWord({
  allpv: 'pageviews pageview views visits sessions hits users visitors',
  click_event: 'clicks click',
  datalayer_event: 'events event datalayer',
  gsc: 'searchconsole googlesearchconsole search searches searchqueries keywords',
});

/** The one of the `available` materials that another name probably means, such as `clicks` or the bare name of an event. */
export function materialSynonym(name: string, available: readonly string[]): string | undefined {
  const event = `events.${name}`;
  const meant = available.includes(event) ? event : MATERIALS(name);
  return meant !== undefined && available.includes(meant) ? meant : undefined;
}
