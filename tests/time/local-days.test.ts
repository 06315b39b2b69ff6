// The days of a clock as pieces of time, held against what the runtime says of the local date.
import { dayBounds, dayOf } from '../../extension/time/local-days';
import { zoneOffsets } from '../../extension/time/zone-offsets';

const DAY = 86_400;
const seconds = (utc: string): number => Date.parse(`${utc}Z`) / 1000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Days since 1970-01-01 of the date that clocks of the zone show. */
function shownDay(instant: number, zone: string): number {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone });
  formats.set(zone, format);
  const date = format.format(new Date(instant * 1000));
  return Date.parse(`${date}T00:00:00Z`) / 1000 / DAY;
}

const clockOf = (zone: string) =>
  zoneOffsets(seconds('1975-01-01T00:00:00'), seconds('2050-01-01T00:00:00'), zone);

// Changes at midnight in both directions, half hours, a day that was skipped, quarters.
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'America/Havana',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Pacific/Apia',
];

test.each(ZONES)('%s: every hour of sixteen months lies in the day that clocks have come to', (zone) => {
  const clock = clockOf(zone);
  const start = seconds('2010-10-01T00:30:00');
  let latest = shownDay(start, zone);
  const wrong: object[] = [];
  for (let at = start; at < start + 480 * DAY; at += 3600) {
    latest = Math.max(latest, shownDay(at, zone));
    const day = dayOf(clock, at);
    if (day !== latest) wrong.push({ at, day, latest });
  }
  expect(wrong).toEqual([]);
});

test.each(ZONES)('%s: a day begins at its bound and not a second before', (zone) => {
  const clock = clockOf(zone);
  const first = dayOf(clock, seconds('2011-06-01T12:00:00'));
  const bounds = dayBounds(clock, first, first + 500);
  expect(bounds).toHaveLength(501);
  for (const [index, bound] of bounds.entries()) {
    const isEmpty = bounds[index + 1] === bound;
    if (!isEmpty) expect(dayOf(clock, bound)).toBe(first + index);
    expect(dayOf(clock, bound - 1)).toBeLessThan(first + index);
  }
});

test('a day that clocks skip is empty', () => {
  const skipped = Date.UTC(2011, 11, 30) / 1000 / DAY;
  const [begin, end] = dayBounds(clockOf('Pacific/Apia'), skipped, skipped + 1);
  expect(begin).toBe(end);
});

test('what clocks show again after they went back across a midnight belongs to the later day', () => {
  // St. John's: at 00:01 of 7 November 2010 back to 23:01 of the 6th.
  const zone = 'America/St_Johns';
  const change = seconds('2010-11-07T02:31:00');
  const later = Date.UTC(2010, 10, 7) / 1000 / DAY;
  expect([change - 61, change - 60, change].map((at) => shownDay(at, zone))).toEqual([
    later - 1,
    later,
    later - 1,
  ]);
  expect([change - 61, change - 60, change].map((at) => dayOf(clockOf(zone), at))).toEqual([
    later - 1,
    later,
    later,
  ]);
});

test('days before 1970 have numbers below zero', () => {
  expect(dayOf([{ until: null, seconds: 0 }], -1)).toBe(-1);
  expect(dayBounds([{ until: null, seconds: 3600 }], -2, -1)).toEqual([-2 * DAY - 3600, -DAY - 3600]);
});
