// Compares the conversion of local times to instants with PostgreSQL's conversion of instants to local times.
import {
  instantOf,
  isLocalDateTime,
  repairedLocalDateTime,
} from '../../../extension/language/time/local-time';
import { repairedZone, usableZones } from '../../../extension/language/time/zones';
import { useTestDatabase } from '../../support/use-database';

const iso = (local: string, zone: string): string => new Date(instantOf(local, zone) * 1000).toISOString();

test.each([
  ['an ordinary time', '2026-05-01T09:00:00', 'Asia/Tokyo', '2026-05-01T00:00:00.000Z'],
  ['an offset of five and a half hours', '2026-05-01T09:00:00', 'Asia/Kolkata', '2026-05-01T03:30:00.000Z'],
  // conformance: time.skipped-time-read
  [
    'a skipped time has the offset before the gap',
    '2026-03-29T02:30:00',
    'Europe/Berlin',
    '2026-03-29T01:30:00.000Z',
  ],
  // conformance: time.repeated-time-means
  ['a repeated time is the earlier one', '2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['a skipped midnight', '2026-03-29T00:30:00', 'Asia/Beirut', '2026-03-28T22:30:00.000Z'],
  ['a year below 1000', '0099-01-01T00:00:00', 'UTC', '0099-01-01T00:00:00.000Z'],
])('%s', (_name, local, zone, expected) => {
  expect(iso(local, zone)).toBe(expected);
});

test.each([
  '2026-05-01',
  '2026-05-01 00:00:00',
  '2026-05-01T24:00:00',
  '2026-05-01T00:00:60',
  '2026-02-29T00:00:00',
  '1900-02-29T00:00:00',
  '2026-13-01T00:00:00',
  '2026-05-01T00:00:00Z',
  '2026-05-01T00:00:00.5',
  '',
  // conformance: time.exactly-yyyy-mm
])('%j is not a local date-time', (text) => expect(isLocalDateTime(text)).toBe(false));

test.each(['2024-02-29T23:59:59', '2000-02-29T00:00:00', '0000-02-29T00:00:00'])(
  '%j is a local date-time',
  (text) => {
    expect(isLocalDateTime(text)).toBe(true);
  },
);

test.each([
  ['2026-05-01', '2026-05-01T00:00:00'],
  ['2026-05-01 12:30', '2026-05-01T12:30:00'],
  ['2026-05-01 12:30:00', '2026-05-01T12:30:00'],
  ['2026-05-01T12:30:00.250', '2026-05-01T12:30:00'],
  ['yesterday', undefined],
])('%j is repaired to %j', (text, repaired) => expect(repairedLocalDateTime(text)).toBe(repaired));

describe('with the time zones of a database', () => {
  const database = useTestDatabase();
  let zones: ReadonlySet<string>;

  beforeAll(async () => {
    zones = usableZones(await database.write.from('pg_timezone_names').pluck<string[]>('name'));
  });

  // conformance: time.tz
  test('only full names are usable', () => {
    expect(zones.size).toBeGreaterThan(400);
    for (const name of ['UTC', 'Asia/Tokyo', 'Asia/Kolkata', 'Etc/GMT+5', 'America/Argentina/Buenos_Aires']) {
      expect(zones).toContain(name);
    }
    for (const name of ['JST', 'Tokyo', 'CET', 'Japan', 'posix/Asia/Tokyo', 'asia/tokyo', '+09:00']) {
      expect(zones).not.toContain(name);
    }
  });

  test.each([
    ['JST', 'Asia/Tokyo'],
    ['Tokyo', 'Asia/Tokyo'],
    ['new york', 'America/New_York'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Europe/Berlim', 'Europe/Berlin'],
    ['Z', 'UTC'],
    ['nowhere', undefined],
  ])('%j is repaired to %j', (text, repaired) => expect(repairedZone(text, zones)).toBe(repaired));

  test.each([
    'Europe/Berlin',
    'America/New_York',
    'Asia/Tokyo',
    'Australia/Lord_Howe',
    'Asia/Beirut',
    'America/Santiago',
    'Africa/Cairo',
  ])('the first instant of each local day of 2026 is the same in PostgreSQL: %s', async (zone) => {
    const { rows } = await database.write.raw(
      `select to_char(min(local), 'YYYY-MM-DD') as day, extract(epoch from min(at))::int as first
           from (select at, at at time zone ? as local
                   from generate_series('2025-12-31T00:00Z'::timestamptz, '2027-01-02T00:00Z', '15 min') at) minutes
          group by local::date having local::date between '2026-01-01' and '2026-12-31' order by 1`,
      [zone],
    );
    const days: readonly { day: string; first: number }[] = rows;
    expect(days).toHaveLength(365);
    expect(days.map(({ day }) => instantOf(`${day}T00:00:00`, zone))).toEqual(days.map(({ first }) => first));
  });
});
