// Finds the time zones that queries can use. JavaScript ignores letter case and renames zones, which queries do not.
import type { ClientBase } from 'pg';

export const ZONE_FAULT = 'must be the full name of a time zone such as Europe/Berlin, or UTC';

/** The database's spelling of a zone in any letter case; undefined if the zone does not exist. */
export async function zoneName(client: ClientBase, typed: string): Promise<string | undefined> {
  if (typed.toUpperCase() === 'UTC') return 'UTC';
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1)',
    [typed],
  );
  // The database also lists copies of all zones with leap seconds, in other folders.
  return rows.map(({ name }) => name).find((name) => /^[A-Z][^/]*\//.test(name) && isTimezone(name));
}

/** Whether this is the full name of a time zone that JavaScript has, in any letter case. */
export function isTimezone(name: string): boolean {
  if (name.toUpperCase() !== 'UTC' && !name.includes('/')) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
