// Owns the name of a site's time zone as it is kept: one that queries take, in that spelling.
// What was typed in -> the name, or undefined. Runtimes forgive letter case and rename zones; queries do neither.
import type { ClientBase } from 'pg';

export const ZONE_FAULT = 'must be the full name of a time zone such as Europe/Berlin, or UTC';

/** The zone that the database has under this name, in whatever letters it was typed. */
export async function zoneName(client: ClientBase, typed: string): Promise<string | undefined> {
  if (typed.toUpperCase() === 'UTC') return 'UTC';
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1)',
    [typed],
  );
  // Beside the zones stand copies of them that count leap seconds, in folders of their own.
  return rows.map(({ name }) => name).find((name) => /^[A-Z][^/]*\//.test(name) && isTimezone(name));
}

/** Whether this runtime knows the time zone by its full name. */
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
