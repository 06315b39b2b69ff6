// Blocks and the rows beside them partition a range: held against days counted one by one.
import fc from 'fast-check';
import { blocksOf, type Span, splitRange } from '../../../extension/qal/plan/rollups/blocks';
import type { CountedDays } from '../../../extension/qal/types/resolved-query';
import { dayBounds } from '../../../extension/time/local-days';
import { zoneOffsets } from '../../../extension/time/zone-offsets';

const DAY = 86_400;
const ALWAYS = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
/** With clock changes at midnight in both directions, a skipped day, and none at all. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Havana',
  'America/St_Johns',
  'Pacific/Apia',
  'Asia/Kathmandu',
];

const countsOf = (zone: string, firstDay: number, endDay: number): CountedDays => ({
  clock: zoneOffsets((firstDay - 3) * DAY, (endDay + 3) * DAY, zone),
  ...{ firstDay, endDay, longestClick: 0 },
});

/** The instants that blocks cover: those of their days on which the site has rows. */
function covered(counts: CountedDays, range: Span, within: Span): readonly Span[] {
  const { days } = splitRange(counts, range, within);
  if (days === null) return [];
  return blocksOf(days, counts).flatMap(({ level, block }) => {
    const first = Math.max(block * 4 ** level, counts.firstDay);
    const end = Math.min((block + 1) * 4 ** level, counts.endDay);
    if (first >= end) return [];
    const [start = 0, stop = 0] = [
      dayBounds(counts.clock, first, first)[0],
      dayBounds(counts.clock, end, end)[0],
    ];
    return [{ start, end: stop }];
  });
}

/** Spans in order, joined where they meet; undefined where two of them overlap. */
function joined(spans: readonly Span[]): readonly Span[] | undefined {
  const all = spans.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
  const found: Span[] = [];
  for (const span of all) {
    const last = found.at(-1);
    if (last !== undefined && last.end > span.start) return undefined;
    if (last !== undefined && last.end === span.start) found[found.length - 1] = { ...last, end: span.end };
    else found.push(span);
  }
  return found;
}

const clamp = (range: Span, { clock, firstDay, endDay }: CountedDays): Span => ({
  start: Math.max(range.start, dayBounds(clock, firstDay, firstDay)[0] ?? 0),
  end: Math.min(range.end, dayBounds(clock, endDay, endDay)[0] ?? 0),
});

// Days around clock changes of the years 2010 and 2011, and far from them.
const day = fc.oneof(fc.integer({ min: 14_600, max: 15_400 }), fc.integer({ min: 10, max: 20_000 }));
const instant = fc.tuple(day, fc.oneof(fc.constant(0), fc.integer({ min: 0, max: DAY - 1 })));
const asInstant = ([number, second]: readonly [number, number]): number => number * DAY + second;

test('blocks and rows beside them partition what the site has of a range', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.tuple(day, fc.integer({ min: 1, max: 500 })),
      fc.tuple(instant, instant),
      fc.boolean(),
      (zone, [firstDay, length], instants, isDayBound) => {
        const counts = countsOf(zone, firstDay, firstDay + length);
        const [start = 0, end = 0] = instants.map(asInstant).sort((a, b) => a - b);
        const range = isDayBound ? { start: firstDay * DAY, end } : { start, end };
        const rows = clamp(range, counts);
        const { spans } = splitRange(counts, range, ALWAYS);
        expect(joined([...spans, ...covered(counts, range, ALWAYS)])).toEqual(
          rows.start < rows.end ? [rows] : [],
        );
        for (const span of spans) expect(span.end - span.start).toBeLessThan(2 * 25 * 3600);
      },
    ),
    { numRuns: 2000 },
  );
});

test('whole days lie within what is asked of them', () => {
  fc.assert(
    fc.property(fc.tuple(instant, instant), fc.tuple(instant, instant), (outer, inner) => {
      const counts = countsOf('Europe/Berlin', 14_600, 15_000);
      const [start = 0, end = 0] = outer.map(asInstant).sort((a, b) => a - b);
      const [from = 0, to = 0] = inner.map(asInstant).sort((a, b) => a - b);
      const rows = clamp({ start, end }, counts);
      const within = { start: from, end: to };
      const whole = covered(counts, { start, end }, within);
      const { spans } = splitRange(counts, { start, end }, within);
      expect(joined([...spans, ...whole])).toEqual(rows.start < rows.end ? [rows] : []);
      for (const span of whole) {
        expect(span.start).toBeGreaterThanOrEqual(from);
        expect(span.end).toBeLessThanOrEqual(to);
      }
    }),
    { numRuns: 1000 },
  );
});

const blocks = (first: number, end: number, firstDay = -1e6, endDay = 1e6): readonly string[] =>
  blocksOf({ first, end, span: ALWAYS }, { clock: [], firstDay, endDay, longestClick: 0 }).map(
    ({ level, block }) => `${level}:${block}`,
  );

test.each<[string, readonly string[], readonly string[]]>([
  ['one day', blocks(5, 6), ['0:5']],
  ['four days that are a block', blocks(4, 8), ['1:1']],
  ['four days that are none', blocks(5, 9), ['0:5', '0:6', '0:7', '0:8']],
  ['the longest blocks', blocks(0, 128), ['3:0', '3:1']],
  ['up and down', blocks(3, 21), ['0:3', '1:1', '1:2', '1:3', '1:4', '0:20']],
  ['days before 1970', blocks(-5, 1), ['0:-5', '1:-1', '0:0']],
  ['the longest before 1970', blocks(-64, 0), ['3:-1']],
  ['all days of a site', blocks(70, 200, 70, 200), ['3:1', '3:2', '3:3']],
  ['all days of a site from some on', blocks(64, 200, 64, 300), ['3:1', '3:2', '1:48', '1:49']],
  ['all days of a site up to some', blocks(100, 130, 100, 400), ['3:1', '0:128', '0:129']],
])('%s', (_name, given, expected) => expect(given).toEqual(expected));

test('thirty days are a handful of blocks', () => {
  for (let first = 20_000; first < 20_256; first += 1) {
    expect(blocks(first, first + 30).length).toBeLessThanOrEqual(15);
  }
});
