// Compares all zones with two independent sources, around all clock changes from 2024 to 2027. The runtime has the same zone data
// as the program. The database has separate zone data, so zones that differ are skipped.
import { daysWithin } from '../../../extension/language/time/days-within';
import { localPeriods } from '../../../extension/language/time/local-periods';
import { instantOf } from '../../../extension/language/time/local-time';
import { zoneOffsets } from '../../../extension/language/time/zone-offsets';
import { usableZones } from '../../../extension/language/time/zones';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { IS_LONG_RUN, tries } from '../../support/long-run';
import {
  AROUND,
  type ClockChange,
  clockChangesFromDatabase,
  clockChangesFromRuntime,
  FROM,
  GRID,
  localTimesFromDatabase,
  runtimeClock,
  type ShownDay,
  TO,
} from './clock-changes';

const DAY = 86_400;
/** At most one in this many zones may differ between the database and the runtime. */
const ONE_IN = 50;

let database: TestDatabase;
let zones: readonly string[];
const changes: { runtime: readonly ClockChange[]; database: readonly ClockChange[] } = {
  runtime: [],
  database: [],
};
/** In a long run, every zone. Otherwise, one zone for each list of changes. */
let chosen: ReadonlySet<string>;
/** Zones that differ between the sources, each with the first instant at which they differ. */
const differing = new Map<string, number>();

beforeAll(async () => {
  database = await createTestDatabase();
  zones = [...usableZones(await database.write.from('pg_timezone_names').pluck<string[]>('name'))];
  changes.runtime = clockChangesFromRuntime(zones);
  const alike = Map.groupBy(zones, (zone) => ofZone(zone, changes.runtime).map(moment).join());
  chosen = new Set(IS_LONG_RUN ? zones : [...alike.values()].flatMap(([first = '']) => first));
  const known = await clockChangesFromDatabase(database.write, zones);
  const atStart = await localTimesFromDatabase(
    database.write,
    zones.map((zone) => ({ zone, instant: FROM })),
  );
  zones.forEach((zone, index) => {
    const until =
      atStart[index] === runtimeClock(zone)(FROM) ? firstDifference(zone, changes.runtime, known) : FROM;
    if (until !== undefined) differing.set(zone, until);
  });
  changes.database = known.filter(({ zone, at }) => at + AROUND <= (differing.get(zone) ?? TO + AROUND));
});
afterAll(() => database.drop());

const ofZone = (zone: string, all: readonly ClockChange[]) => all.filter((change) => change.zone === zone);
const moment = ({ at, before, after }: ClockChange): string => `${at} ${before} ${after}`;

function firstDifference(
  zone: string,
  some: readonly ClockChange[],
  others: readonly ClockChange[],
): number | undefined {
  const [mine, theirs] = [ofZone(zone, some), ofZone(zone, others)];
  const unmatched = [
    ...mine.filter((one) => !theirs.some((other) => moment(one) === moment(other))),
    ...theirs.filter((one) => !mine.some((other) => moment(one) === moment(other))),
  ];
  return unmatched.length === 0 ? undefined : Math.min(...unmatched.map(({ at }) => at));
}

const iso = (instant: number): string => new Date(instant * 1000).toISOString().slice(0, 19);

// conformance: time.one-function-converts
test('the database has the same changes, except for a few zones', () => {
  const list = [...differing].map(([zone, at]) => `  ${zone} from ${iso(at)} on`).join('\n');
  if (list !== '') process.stdout.write(`The database and the runtime have different zone data:\n${list}\n`);
  expect(differing.size).toBeLessThanOrEqual(zones.length / ONE_IN);
  expect(zones.length).toBeGreaterThan(400);
  expect(changes.database.length).toBeGreaterThan(changes.runtime.length * (1 - 1 / ONE_IN));
});

test('all changes and offsets are multiples of the grid size', () => {
  const numbers = [...changes.runtime, ...changes.database].flatMap(({ at, before, after }) => [
    at,
    before,
    after,
  ]);
  expect(numbers.filter((number) => number % GRID !== 0)).toEqual([]);
});

test('the offsets of every zone change when its clocks do', () => {
  const faults = zones.filter((zone) => {
    const zoneChanges = ofZone(zone, changes.runtime);
    const last = zoneChanges.at(-1)?.after ?? runtimeClock(zone)(FROM) - FROM;
    const expected = [
      ...zoneChanges.map(({ at, before }) => ({ until: at, seconds: before })),
      { until: null, seconds: last },
    ];
    return JSON.stringify(zoneOffsets(FROM, TO, zone)) !== JSON.stringify(expected);
  });
  expect(faults).toEqual([]);
});

/** The days around a change, except the first if its beginning is missing. */
const begun = ({ days }: ClockChange): readonly ShownDay[] =>
  days.filter(({ instants }, index) => index > 0 || instants === DAY / GRID);

const isContiguous = ({ first, last, instants }: ShownDay): boolean => last - first === (instants - 1) * GRID;

describe.each(['runtime', 'database'] as const)('with the local times of the %s', (source) => {
  const chosenChanges = () => changes[source].filter(({ zone }) => chosen.has(zone));

  // conformance: time.one-function-converts
  test("a day's midnight is its first instant", () => {
    const faults = chosenChanges().flatMap((change) =>
      begun(change)
        .filter(({ day, first }) => instantOf(`${day}T00:00:00`, change.zone) !== first)
        .map(({ day, first }) => `${change.zone} ${day}: ${iso(first)}`),
    );
    expect(faults).toEqual([]);
  });

  test('the days within a range are those that begin in it', () => {
    const faults = chosenChanges().filter((change) => {
      const { zone, at } = change;
      const { first, end } = daysWithin({ start: at - AROUND, end: at + AROUND }, zone);
      const afterLast = Date.parse(change.days.at(-1)?.day ?? '') / 1000 + DAY;
      return first !== begun(change)[0]?.day || end !== iso(afterLast).slice(0, 10);
    });
    expect(faults).toEqual([]);
  });

  test('a range is split into local days, unless a day is not contiguous', () => {
    const faults = chosenChanges().filter(({ zone, at, days }) => {
      const range = { start: at - AROUND, end: at + AROUND };
      const periods = localPeriods(range, zoneOffsets(range.start, range.end, zone), 'day', 100);
      const expected = days.every(isContiguous)
        ? days.map(({ day, first, last }) => ({ value: day, start: first, end: last + GRID }))
        : undefined;
      return JSON.stringify(periods) !== JSON.stringify(expected);
    });
    expect(faults).toEqual([]);
  });

  // conformance: time.skipped-time-read
  test('a skipped time is read with the offset before the gap, and a repeated time is read as the earlier one', async () => {
    const samples = chosenChanges().flatMap(({ zone, at, before, after }) => {
      const from = at + Math.min(before, after);
      const to = at + Math.max(before, after);
      return [from, Math.floor((from + to) / 2), to - 1].map((local) => ({
        zone,
        local,
        instant: instantOf(iso(local), zone),
        other: local - after,
        gap: Math.max(after - before, 0),
      }));
    });
    const clocks = async (instants: readonly { zone: string; instant: number }[]) =>
      source === 'database'
        ? localTimesFromDatabase(database.write, instants)
        : instants.map(({ zone, instant }) => runtimeClock(zone)(instant));
    const shown = await clocks(samples);
    const shownByOther = await clocks(samples.map(({ zone, other }) => ({ zone, instant: other })));
    const faults = samples.filter(({ local, instant, other, gap }, index) => {
      const isRead = shown[index] === local + gap;
      const isEarlier =
        gap > 0 ? shownByOther[index] !== local : shownByOther[index] === local && instant < other;
      return !isRead || !isEarlier;
    });
    expect(samples.length).toBeGreaterThan(tries(500, 4000));
    expect(faults).toEqual([]);
  });
});
