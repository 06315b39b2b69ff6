// Datasets as other products name them. Data and a look-up.
import { byWord } from './by-word';

const MATERIALS = byWord({
  allpv: 'pageviews pageview views visits sessions hits users visitors',
  click_event: 'clicks click',
  datalayer_event: 'events event datalayer',
  gsc: 'searchconsole googlesearchconsole search searches searchqueries keywords',
});

/** That of the `available` datasets which another name probably stands for: `clicks`, or an event by its own name. */
export function materialSynonym(name: string, available: readonly string[]): string | undefined {
  const event = `events.${name}`;
  const meant = available.includes(event) ? event : MATERIALS(name);
  return meant !== undefined && available.includes(meant) ? meant : undefined;
}
