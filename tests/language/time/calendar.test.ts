// Compares the calendar arithmetic of day.js with Temporal, for every year that a date can have.
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import {
  daysBetween,
  dayText,
  laterDate,
  laterMonth,
  mondayOf,
  monthOf,
} from '../../../extension/language/time/calendar';

const EPOCH = Temporal.PlainDate.from('1970-01-01');
const FIRST = Temporal.PlainDate.from('0001-01-01').since(EPOCH).days;
const LAST = Temporal.PlainDate.from('9999-12-31').since(EPOCH).days;

/** Half of the dates are before the year 130, because day.js handles years below 100 differently. */
const day = fc.oneof(
  fc.integer({ min: FIRST, max: LAST }),
  fc.integer({ min: FIRST, max: FIRST + 130 * 366 }),
);
const dateOf = (days: number) => EPOCH.add({ days });

test('days, weeks and months are the same as in Temporal', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -4_000, max: 4_000 }), (number, days) => {
      const date = dateOf(number);
      const text = date.toString();
      expect(dayText(number, 'YYYY-MM-DD')).toBe(text);
      expect(dayText(number, 'YYYY-MM')).toBe(text.slice(0, 7));
      expect(laterDate(text, days)).toBe(date.add({ days }).toString());
      expect(daysBetween(text, laterDate(text, days))).toBe(days);
      expect(monthOf(text)).toBe(date.with({ day: 1 }).toString());
      expect(mondayOf(text)).toBe(date.subtract({ days: date.dayOfWeek - 1 }).toString());
    }),
    { numRuns: 1_000 },
  );
});

test("a day that does not exist in a shorter month becomes that month's last day", () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -24, max: 24 }), (number, months) => {
      const date = dateOf(number);
      const moved = date.add({ months });
      fc.pre(moved.year >= 1);
      expect(laterMonth(date.toString(), months)).toBe(moved.toString());
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['9999-12-31', 1, '+010000-01-01'],
  ['0001-01-01', -1, '0000-12-31'],
  ['0099-12-31', 1, '0100-01-01'],
])('%s plus %i days is %s', (date, days, later) => expect(laterDate(date, days)).toBe(later));
