// Time zone names that a query may use, and what short forms of them stand for.
// The names that both the database and this runtime know -> a set; abbreviations are never in it.
import { distance } from 'fastest-levenshtein';

/** What abbreviations and short names stand for. */
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

/** Short names that several zones share, each with clock changes of its own. */
const SEVERAL_ZONES: ReadonlySet<string> = new Set(['CET', 'CEST', 'EST', 'EDT', 'PST', 'PDT']);

/** The main name of each zone of this runtime; other names take longer to check. */
const MAIN_NAMES = new Set(Intl.supportedValuesOf('timeZone'));

function runtimeKnows(zone: string): boolean {
  if (MAIN_NAMES.has(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The zones of a list of the database's names that a query may use: `Area/Place` and UTC. */
export function usableZones(databaseNames: readonly string[]): ReadonlySet<string> {
  const full = databaseNames.filter((name) => /^[A-Z][^/]*\//.test(name) && runtimeKnows(name));
  return new Set([...full, 'UTC'].sort());
}

/** Longer than any name; comparing it would only cost time. */
const LONGEST = 64;

/** The full name that was probably meant, when there is a near one. */
export function repairedZone(text: string, zones: ReadonlySet<string>): string | undefined {
  if (text.length > LONGEST) return undefined;
  const folded = fold(text);
  const short = SHORT_NAMES[folded.toUpperCase()];
  if (short !== undefined) return short;
  const names = [...zones];
  const same = names.find((name) => name.toLowerCase() === folded);
  // A near name of an offset would be hours away.
  if (same !== undefined || /[\d+]/.test(folded)) return same ?? zoneOfOffset(folded, zones);
  return (
    names.find((name) => name.toLowerCase().endsWith(`/${folded}`)) ??
    names.find((name) => folded.length > 4 && distance(name.toLowerCase(), folded) <= 2)
  );
}

/** `gmt+9`, `utc-03:00` or `+09:00`, in whole hours. The names of Etc/ count the other way round. */
function zoneOfOffset(folded: string, zones: ReadonlySet<string>): string | undefined {
  const [, sign, digits] = /^(?:gmt|utc)?_?([+-])(\d{1,2})(?::?00)?$/.exec(folded) ?? [];
  if (sign === undefined || digits === undefined) return undefined;
  const hours = Number(digits);
  const zone = hours === 0 ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`;
  return zones.has(zone) ? zone : undefined;
}

/** Areas whose names are places; names within countries, such as Australia/North, may be shared. */
const PLACE =
  /^(africa|america|asia|atlantic|australia|europe|indian|pacific)\/(?!(north|south|east|west)$)[^/]+$/;

/** Whether a text can only mean the repaired zone. */
export function isOnlyZone(text: string, zone: string, zones: ReadonlySet<string>): boolean {
  const folded = fold(text);
  if (SHORT_NAMES[folded.toUpperCase()] !== undefined) return !SEVERAL_ZONES.has(folded.toUpperCase());
  if (zone.toLowerCase() === folded) return true;
  const candidates = [...zones].map((name) => name.toLowerCase()).filter((it) => it.endsWith(`/${folded}`));
  return candidates.length === 1 && PLACE.test(candidates.join());
}

const fold = (text: string): string => text.trim().replace(/ /g, '_').toLowerCase();
