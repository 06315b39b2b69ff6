// Material names from other products.
import { byWord } from './by-word';

const MATERIALS = byWord({
  allpv: 'pageviews pageview views visits sessions hits users visitors',
  click_event: 'clicks click',
  datalayer_event: 'events event datalayer',
  gsc: 'searchconsole googlesearchconsole search searches searchqueries keywords',
});

/** The available material that a name probably means. `clicks` means `click_event`, and `login` means `events.login`. */
export function materialSynonym(name: string, available: readonly string[]): string | undefined {
  const event = `events.${name}`;
  const meant = available.includes(event) ? event : MATERIALS(name);
  return meant !== undefined && available.includes(meant) ? meant : undefined;
}
