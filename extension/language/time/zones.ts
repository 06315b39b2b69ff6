// The time zone names that a query may use.
import { typosBetween } from '../names/nearest';

const SHORT_NAMES: Readonly<Record<string, string>> = {
  JST: 'Asia/Tokyo',
  JAPAN: 'Asia/Tokyo',
  KST: 'Asia/Seoul',
  HKT: 'Asia/Hong_Kong',
  SGT: 'Asia/Singapore',
  CET: 'Europe/Berlin',
  CEST: 'Europe/Berlin',
  EST: 'America/New_York',
  EDT: 'America/New_York',
  PST: 'America/Los_Angeles',
  PDT: 'America/Los_Angeles',
  GMT: 'UTC',
  Z: 'UTC',
};

/** Abbreviations shared by zones with different clock changes. */
const AMBIGUOUS_NAMES: ReadonlySet<string> = new Set(['CET', 'CEST', 'EST', 'EDT', 'PST', 'PDT']);

/** The runtime's primary zone names. Checking any other name is slower. */
const MAIN_NAMES = new Set(Intl.supportedValuesOf('timeZone'));

function isInRuntime(zone: string): boolean {
  if (MAIN_NAMES.has(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The zone names that both the database and the runtime have, without abbreviations: `Area/Place` and UTC. */
export function usableZones(databaseNames: readonly string[]): ReadonlySet<string> {
  const full = databaseNames.filter((name) => /^[A-Z][^/]*\//.test(name) && isInRuntime(name));
  return new Set([...full, 'UTC'].sort());
}

/** Longer strings are not compared with names. */
const MAX_LENGTH = 64;

/** The full zone name that a string probably means. */
export function repairedZone(text: string, zones: ReadonlySet<string>): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const folded = fold(text);
  const short = SHORT_NAMES[folded.toUpperCase()];
  if (short !== undefined) return short;
  const names = [...zones];
  const same = names.find((name) => name.toLowerCase() === folded);
  // For a string with an offset, a similar name could be hours off.
  if (same !== undefined || /[\d+]/.test(folded)) return same ?? zoneOfOffset(folded, zones);
  return (
    names.find((name) => name.toLowerCase().endsWith(`/${folded}`)) ??
    names.find((name) => folded.length > 4 && typosBetween(name.toLowerCase(), folded, 2) <= 2)
  );
}

/** The zone for an offset in whole hours, such as `gmt+9`, `utc-03:00` or `+09:00`. Signs are reversed in `Etc/` names. */
function zoneOfOffset(folded: string, zones: ReadonlySet<string>): string | undefined {
  const [, sign, digits] = /^(?:gmt|utc)?_?([+-])(\d{1,2})(?::?00)?$/.exec(folded) ?? [];
  if (sign === undefined || digits === undefined) return undefined;
  const hours = Number(digits);
  const zone = hours === 0 ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`;
  return zones.has(zone) ? zone : undefined;
}

/** Zones named after cities. Region names, such as Australia/North, may be ambiguous. */
const PLACE =
  /^(africa|america|asia|atlantic|australia|europe|indian|pacific)\/(?!(north|south|east|west)$)[^/]+$/;

/** Whether `zone` is the only possible meaning of a string. */
export function isOnlyZone(text: string, zone: string, zones: ReadonlySet<string>): boolean {
  const folded = fold(text);
  if (SHORT_NAMES[folded.toUpperCase()] !== undefined) return !AMBIGUOUS_NAMES.has(folded.toUpperCase());
  if (zone.toLowerCase() === folded) return true;
  const candidates = [...zones].map((name) => name.toLowerCase()).filter((it) => it.endsWith(`/${folded}`));
  return candidates.length === 1 && PLACE.test(candidates.join());
}

const fold = (text: string): string => text.trim().replace(/ /g, '_').toLowerCase();
