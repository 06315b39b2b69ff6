// Prints an instant by the clock of a person, with the name of that clock: 2026-11-21 08:10:12 Europe/Berlin.
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const made = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    formats.set(zone, made);
    return made;
  } catch {
    return undefined;
  }
}

/** `zone` is an IANA name; one that this runtime does not know gives the instant in UTC. */
export function formatInstant(instant: Date, zone: string): string {
  const format = formatOf(zone);
  return format === undefined ? formatInstant(instant, 'UTC') : `${format.format(instant)} ${zone}`;
}
