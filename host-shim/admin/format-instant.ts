/** Uses UTC if this runtime does not support the zone. */
export function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return 'UTC';
    throw error;
  }
}

/** 2026-11-21 08:10:12 Europe/Berlin */
export function formatInstant(instant: Date, zone: string): string {
  const timeZone = knownZone(zone);
  return `${instant.toLocaleString('sv-SE', { timeZone })} ${timeZone}`;
}

/** `after 2026-12-31` for the end of a day, otherwise `2026-12-31 15:00:00 Europe/Berlin`. */
export function formatEnd(instant: Date, zone: string): string {
  const timeZone = knownZone(zone);
  const isMidnight = instant.toLocaleTimeString('sv-SE', { timeZone }) === '00:00:00';
  const lastDay = new Date(instant.getTime() - 1).toLocaleDateString('sv-SE', { timeZone });
  return isMidnight ? `after ${lastDay}` : formatInstant(instant, zone);
}

/** In the language's format: 21 Nov 2026, 08:10 */
export const formatShort = (instant: Date, zone: string, language: string): string =>
  instant.toLocaleString(language, { timeZone: knownZone(zone), dateStyle: 'medium', timeStyle: 'short' });

const DEFAULT_LANGUAGE = 'en-GB';

/** Returns the first supported language. The tags come from a header and may be invalid. */
export function firstLanguage(tags: readonly string[]): string {
  const known = tags.flatMap((tag) => {
    try {
      return Intl.DateTimeFormat.supportedLocalesOf(tag);
    } catch (error) {
      if (error instanceof RangeError) return [];
      throw error;
    }
  });
  return known[0] ?? DEFAULT_LANGUAGE;
}
