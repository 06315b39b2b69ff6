// Computes local time with Intl only, independently of the program.
const formatters = new Map<string, Intl.DateTimeFormat>();
const texts = new Map<string, string>();
const STEP = 900;

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const created = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formatters.set(zone, created);
  return created;
}

/** `YYYY-MM-DDTHH:mm:ss` of an instant in epoch seconds. */
export function localText(instant: number, zone: string): string {
  const key = `${instant} ${zone}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = formatter(zone)
    .format(instant * 1000)
    .replace(', ', 'T');
  texts.set(key, text);
  return text;
}

const asIfUtc = (text: string): number => Date.parse(`${text}Z`) / 1000;

/**
 * Returns the instant of a local time: the earlier one if there are two; for a time that the clocks skip, the instant at the
 * offset before the gap. Searches in steps of 15 minutes, because all offsets are multiples of 15 minutes.
 */
export function instantOf(text: string, zone: string): number {
  const utc = asIfUtc(text);
  let before = utc - 16 * 3600;
  for (let instant = before; ; instant += STEP) {
    const local = localText(instant, zone);
    if (local === text) return instant;
    if (local > text && localText(instant - STEP, zone) < text) break;
    before = instant;
  }
  return utc - (asIfUtc(localText(before, zone)) - before);
}

/** The weekday of a local time in text form, from 1 for Monday to 7 for Sunday. */
export function weekday(text: string): number {
  return ((new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;
}

/** The Monday of the week of a local time in text form, found by stepping back one day at a time. */
export function mondayOf(text: string): string {
  let day = text.slice(0, 10);
  while (weekday(day) !== 1)
    day = new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
  return day;
}
