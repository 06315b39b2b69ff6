// Compares the days within a range of instants with the midnights of all days near the range.
import fc from 'fast-check';
import { daysWithin } from '../../../extension/language/time/days-within';
import { instantOf } from '../../../extension/language/time/local-time';

const DAY = 86_400;

const instant = (text: string): number => Date.parse(text) / 1000;
const between = (start: string, end: string, zone: string) =>
  daysWithin({ start: instantOf(start, zone), end: instantOf(end, zone) }, zone);

const dateOf = (dayNumber: number): string => new Date(dayNumber * DAY * 1000).toISOString().slice(0, 10);

/** The days by definition: those whose midnight is in the range. Checks all days in and near the range. */
function daysByDefinition({ start, end }: { start: number; end: number }, zone: string): readonly string[] {
  const from = Math.floor(start / DAY) - 3;
  const days = Array.from({ length: Math.ceil((end - start) / DAY) + 7 }, (_, index) => dateOf(from + index));
  return days.filter((day) => {
    const midnight = instantOf(`${day}T00:00:00`, zone);
    return start <= midnight && midnight < end;
  });
}

function daysListed({ first, end }: { first: string; end: string }): readonly string[] {
  const count = (instant(`${end}T00:00Z`) - instant(`${first}T00:00Z`)) / DAY;
  return Array.from({ length: count }, (_, index) => dateOf(instant(`${first}T00:00Z`) / DAY + index));
}

describe('a day is in the range that includes its midnight', () => {
  test.each([
    ['whole days', '2026-05-01T00:00:00', '2026-05-04T00:00:00', '2026-05-01', '2026-05-04'],
    [
      'from the second after midnight',
      '2026-05-01T00:00:01',
      '2026-05-04T00:00:00',
      '2026-05-02',
      '2026-05-04',
    ],
    [
      'to the second after midnight',
      '2026-05-01T00:00:00',
      '2026-05-04T00:00:01',
      '2026-05-01',
      '2026-05-05',
    ],
    ['one second at midnight', '2026-05-01T00:00:00', '2026-05-01T00:00:01', '2026-05-01', '2026-05-02'],
    ['a day without its midnight', '2026-05-01T00:00:01', '2026-05-01T23:59:59', '2026-05-02', '2026-05-02'],
    ['across a leap day', '2028-02-28T12:00:00', '2028-03-01T12:00:00', '2028-02-29', '2028-03-02'],
  ])('%s', (_name, start, end, first, last) => {
    for (const zone of ['UTC', 'Asia/Tokyo', 'America/New_York', 'Asia/Kolkata']) {
      expect(between(start, end, zone)).toEqual({ first, end: last });
    }
  });

  test('a month is treated as its first day', () => {
    const { first, end } = between('2026-01-01T00:00:01', '2026-04-01T00:00:00', 'Asia/Tokyo');
    const months = ['2026-01', '2026-02', '2026-03', '2026-04'];
    expect(months.filter((month) => first <= `${month}-01` && `${month}-01` < end)).toEqual([
      '2026-02',
      '2026-03',
    ]);
  });
});

describe('clock changes', () => {
  test('a skipped midnight is the time of the change', () => {
    const change = instant('2026-03-28T22:00Z');
    const day = (start: number, end: number) => daysWithin({ start, end }, 'Asia/Beirut');
    expect(day(change, change + 1)).toEqual({ first: '2026-03-29', end: '2026-03-30' });
    expect(day(change - 1, change)).toEqual({ first: '2026-03-29', end: '2026-03-29' });
    expect(day(change + 1, change + 2)).toEqual({ first: '2026-03-30', end: '2026-03-30' });
  });

  test('a repeated midnight is the earlier one', () => {
    const earlier = instant('2024-11-03T04:00Z');
    const day = (start: number, end: number) => daysWithin({ start, end }, 'America/Havana');
    expect(day(earlier, earlier + 1)).toEqual({ first: '2024-11-03', end: '2024-11-04' });
    expect(day(earlier + 1, earlier + 3601)).toEqual({ first: '2024-11-04', end: '2024-11-04' });
  });

  test('if the clocks go back across midnight, the day has begun even though they show the previous day', () => {
    const clocksShow2315 = instant('2010-11-07T02:45Z');
    expect(daysWithin({ start: clocksShow2315, end: clocksShow2315 + DAY }, 'America/St_Johns')).toEqual({
      first: '2010-11-08',
      end: '2010-11-08',
    });
    const earlierMidnight = instant('2010-11-07T02:30Z');
    expect(daysWithin({ start: earlierMidnight, end: clocksShow2315 }, 'America/St_Johns')).toEqual({
      first: '2010-11-07',
      end: '2010-11-08',
    });
  });

  test.each([
    ['Pacific/Apia', '2011-12-30', '2011-12-31', '2011-12-30T10:00Z'],
    ['Pacific/Kwajalein', '1993-08-21', '1993-08-22', '1993-08-21T12:00Z'],
  ])('%s has no %s, so that day and the next one have the same midnight', (zone, skipped, next, change) => {
    const at = instant(change);
    const after = dateOf(instant(`${next}T00:00Z`) / DAY + 1);
    expect(daysWithin({ start: at, end: at + 1 }, zone)).toEqual({ first: skipped, end: after });
    expect(daysWithin({ start: at - 1, end: at }, zone)).toEqual({ first: skipped, end: skipped });
    expect(daysWithin({ start: at + 1, end: at + DAY + 1 }, zone)).toEqual({
      first: after,
      end: dateOf(instant(`${after}T00:00Z`) / DAY + 1),
    });
  });
});

describe('distant ranges', () => {
  test.each(['UTC', 'Asia/Tokyo', 'America/New_York', 'Pacific/Kiritimati', 'Etc/GMT+12'])('%s', (zone) => {
    expect(between('0001-01-01T00:00:00', '0001-01-03T00:00:00', zone)).toEqual({
      first: '0001-01-01',
      end: '0001-01-03',
    });
    expect(between('0001-01-01T00:00:00', '9999-12-31T00:00:00', zone)).toEqual({
      first: '0001-01-01',
      end: '9999-12-31',
    });
    expect(between('9999-12-30T00:00:01', '9999-12-31T00:00:00', zone)).toEqual({
      first: '9999-12-31',
      end: '9999-12-31',
    });
  });

  test('years have four digits, and dates are valid in the database', () => {
    expect(between('0000-01-01T00:00:00', '9999-12-31T23:59:59', 'Asia/Tokyo')).toEqual({
      first: '0001-01-01',
      end: '9999-12-31',
    });
    expect(between('0000-01-01T00:00:00', '0000-12-31T00:00:00', 'Asia/Tokyo')).toEqual({
      first: '0001-01-01',
      end: '0001-01-01',
    });
  });
});

// conformance: time.day-gsc-ga4
test('random ranges around unusual clock changes contain the right days', () => {
  const zones: readonly (readonly [string, string])[] = [
    ['Pacific/Apia', '2011-12-30T10:00Z'],
    ['Pacific/Kwajalein', '1993-08-21T12:00Z'],
    ['Pacific/Kwajalein', '1969-09-30T13:00Z'],
    ['Pacific/Kiritimati', '1995-01-01T10:00Z'],
    ['America/Juneau', '1867-10-18T08:57Z'],
    ['Asia/Manila', '1844-12-31T15:56Z'],
    ['Asia/Beirut', '2026-03-28T22:00Z'],
    ['Africa/Cairo', '2026-10-29T21:00Z'],
    ['America/Havana', '2024-11-03T05:00Z'],
    ['America/Santiago', '2026-04-05T03:00Z'],
    ['America/Asuncion', '2024-03-24T03:00Z'],
    ['America/Scoresbysund', '2024-03-31T01:00Z'],
    ['America/Nuuk', '2024-03-31T01:00Z'],
    ['Antarctica/Troll', '2026-03-29T01:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
    ['Asia/Kathmandu', '1985-12-31T18:30Z'],
    ['America/St_Johns', '2010-11-07T02:31Z'],
  ];
  const around = fc.oneof(
    fc.integer({ min: -3 * DAY, max: 3 * DAY }),
    fc.integer({ min: -8, max: 8 }).map((quarters) => quarters * 900),
    fc.integer({ min: -48, max: 48 }).map((hours) => hours * 3600),
  );
  fc.assert(
    fc.property(fc.constantFrom(...zones), around, around, ([zone, change], a, b) => {
      const range = { start: instant(change) + Math.min(a, b), end: instant(change) + Math.max(a, b) };
      expect(daysListed(daysWithin(range, zone))).toEqual(daysByDefinition(range, zone));
    }),
    { seed: 20260511, numRuns: 2000 },
  );
});
