// Finds the time zones that queries can use. JavaScript ignores letter case and renames zones; queries do neither.
import type { ClientBase } from 'pg';

export const ZONE_FAULT = 'must be the full name of a time zone such as Europe/Berlin, or UTC';

/**
 * Returns a function that converts a zone in any letter case to the database's spelling, or to undefined if the zone does not
 * exist. All zones are looked up in one statement, since PostgreSQL reads every zone file on the server for each statement.
 */
export async function readZoneNames(
  client: ClientBase,
  typed: readonly string[],
): Promise<(typed: string) => string | undefined> {
  const names = new Map([['utc', 'UTC']]);
  const others = typed.map((name) => name.toLowerCase()).filter((name) => !names.has(name));
  if (others.length > 0) {
    const { rows } = await client.query<{ name: string }>(
      'SELECT name FROM pg_timezone_names WHERE lower(name) = ANY($1)',
      [others],
    );
    // The database also lists other folders with copies of all zones, such as those with leap seconds.
    for (const { name } of rows)
      if (/^[A-Z][^/]*\//.test(name) && isTimezone(name)) names.set(name.toLowerCase(), name);
  }
  return (name) => names.get(name.toLowerCase());
}

/** Whether this is the full name, in any letter case, of a time zone that JavaScript supports. */
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
