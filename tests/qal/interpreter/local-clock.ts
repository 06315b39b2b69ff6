// Owns the interpreter's own reading of clocks, by Intl alone: it shares nothing with the program.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formatters.set(zone, made);
  return made;
}

/** `YYYY-MM-DDTHH:mm:ss` of an instant in epoch seconds. */
export function localText(instant: number, zone: string): string {
  const parts = new Map(
    formatter(zone)
      .formatToParts(instant * 1000)
      .map(({ type, value }) => [type, value]),
  );
  const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map(
    (part) => parts.get(part as Intl.DateTimeFormatPartTypes),
  );
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

/** The first instant at which clocks show this text or a later one; looked for in steps of a quarter of an hour. */
export function firstInstantOf(text: string, zone: string): number {
  const near = Date.parse(`${text}Z`) / 1000;
  for (let instant = near - 15 * 3600; ; instant += 900) if (localText(instant, zone) >= text) return instant;
}

/** 1 Monday to 7 Sunday, of a local text. */
export function weekday(text: string): number {
  return ((new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;
}
