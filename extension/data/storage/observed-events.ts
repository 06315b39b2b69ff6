// The data layer events that can be queried as separate materials, with their columns.
import type { ReadPool } from '../../../host-shim/extension-api';
import { EVENT_NAME } from '../../../manifests/reader/catalog';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { ParameterType } from '../../language/types/resolved-query';
import { analytics } from './build-query';

type Parameters = ReadonlyMap<string, ParameterType>;
/** The types of parameters, by event name and parameter name. */
type ObservedEvents = ReadonlyMap<string, Parameters>;

interface StoredEvent {
  readonly site_id: number;
  readonly event_name: string;
  readonly observed: unknown;
}

/** Returns the observed events by site id, sorted by name, without events or parameters that no query can name. */
export async function observedEvents(
  read: ReadPool,
  siteIds: readonly number[],
  manifest: Manifest,
): Promise<ReadonlyMap<number, ObservedEvents>> {
  const stored = await read.select(
    analytics('event_name')
      .select<StoredEvent[]>('site_id', 'event_name', 'observed')
      .whereIn('site_id', siteIds)
      .orderByRaw('event_name collate "C"'),
  );
  const columns = baseColumns(manifest);
  const bySite = Map.groupBy(stored, ({ site_id }) => site_id);
  return new Map(
    siteIds.map((siteId) => {
      const own = (bySite.get(siteId) ?? []).filter(({ event_name }) => EVENT_NAME.test(event_name));
      return [siteId, new Map(own.flatMap((event) => readEvent(event, columns)))];
    }),
  );
}

/** The columns of every event. A parameter with one of these names is available only in params_json. */
function baseColumns(manifest: Manifest): ReadonlySet<string> {
  const family = [...manifest.materials.values()].find(({ onePer }) => onePer === 'event');
  return new Set(family?.columns.keys());
}

function readEvent(
  { event_name, observed }: StoredEvent,
  taken: ReadonlySet<string>,
): readonly (readonly [string, Parameters])[] {
  if (typeof observed !== 'object' || observed === null || Array.isArray(observed)) return [];
  const parameters = new Map<string, ParameterType>();
  for (const [name, type] of Object.entries(observed)) {
    if (type !== 'number' && type !== 'string') return [];
    if (EVENT_NAME.test(name) && !taken.has(name)) parameters.set(name, type);
  }
  return [[event_name, parameters]];
}

/** Merges the events of several sites. A parameter is a number only if it is one on every site that has it. */
export function mergeObserved(sites: Iterable<ObservedEvents>): ObservedEvents {
  const merged = new Map<string, Map<string, ParameterType>>();
  for (const events of sites) {
    for (const [event, parameters] of events) {
      const known = merged.get(event) ?? new Map<string, ParameterType>();
      merged.set(event, known);
      for (const [name, type] of parameters) {
        if (known.get(name) !== 'string') known.set(name, type);
      }
    }
  }
  return merged;
}
