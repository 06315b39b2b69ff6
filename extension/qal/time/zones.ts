// Owns which time zone names a query may use, and the repair of the usual short forms.
// The names that both the database and this runtime know -> a set; abbreviations are never in it.
import { distance } from 'fastest-levenshtein';

/** What an abbreviation or a short name stands for, where it stands for one zone only. */
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

function runtimeKnows(zone: string): boolean {
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

/** The full name that was probably meant, when there is a near one. */
export function repairedZone(text: string, zones: ReadonlySet<string>): string | undefined {
  const wanted = text.trim();
  const short = SHORT_NAMES[wanted.toUpperCase()];
  if (short !== undefined) return short;
  const folded = wanted.replace(/ /g, '_').toLowerCase();
  const names = [...zones];
  return (
    names.find((name) => name.toLowerCase() === folded) ??
    names.find((name) => name.toLowerCase().endsWith(`/${folded}`)) ??
    names.find((name) => folded.length > 4 && distance(name.toLowerCase(), folded) <= 2)
  );
}
