// Prints instants in a person's time zone: 2026-11-21 08:10:12 Europe/Berlin.

/** `zone` is an IANA name; one that this runtime does not know gives UTC. */
export function formatInstant(instant: Date, zone: string): string {
  try {
    return `${instant.toLocaleString('sv-SE', { timeZone: zone })} ${zone}`;
  } catch (error) {
    if (!(error instanceof RangeError) || zone === 'UTC') throw error;
    return formatInstant(instant, 'UTC');
  }
}
