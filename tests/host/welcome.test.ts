// The line to paste: concrete dates of the last 30 days, in the site's own time zone.
import { databaseSettings, readConfig } from '../../host-shim/config';
import { firstQueryBody, welcomeText } from '../../host-shim/welcome';

test.each([
  ['UTC', '2026-02-13T00:00:00', '2026-03-15T00:00:00'],
  ['Asia/Tokyo', '2026-02-14T00:00:00', '2026-03-16T00:00:00'],
  ['America/New_York', '2026-02-13T00:00:00', '2026-03-15T00:00:00'],
])('the days of %s', (timezone, start, end) => {
  const body = firstQueryBody({ trackingId: 'demo', timezone }, new Date('2026-03-15T20:00:00Z'));
  expect(body).toMatchObject({ qal: { tracking_id: 'demo', time: { start, end, tz: timezone } } });
});

const SECOND_START = {
  url: 'http://127.0.0.1:1',
  queryUrl: 'http://127.0.0.1:1/wp-json/qa-platform/query',
  database: 'PostgreSQL 18',
  embedded: true,
  account: undefined,
  administrator: 'root',
  site: undefined,
  now: new Date(0),
};

test.each([
  ['the usual directory', {}, '  npm exec qal'],
  ['another directory', { DATA_DIR: "/srv/it's" }, "  DATA_DIR='/srv/it'\\''s' npm exec qal"],
  ['other programs', { PG_BINDIR: '/usr/pg' }, "  PG_BINDIR='/usr/pg' npm exec qal"],
])('the way back in finds the database again: %s', (_label, environment, line) => {
  const text = welcomeText({
    ...SECOND_START,
    databaseSettings: databaseSettings(readConfig({}, environment)),
  });
  expect(text).toContain(`\n${line} -- users password root\n`);
});

test('the way back in names the address of a database and does not tell it', () => {
  const config = readConfig({}, { DATABASE_URL: 'postgres://me:hunter2@db/x', DATA_DIR: '/unused' });
  const text = welcomeText({ ...SECOND_START, embedded: false, databaseSettings: databaseSettings(config) });
  expect(text).toContain('(with the same DATABASE_URL set) with:\n\n  npm exec qal -- users password root');
  expect(text).not.toMatch(/hunter2|DATA_DIR/);
});

test('without any site there is no line to paste', () => {
  const text = welcomeText({
    url: 'http://127.0.0.1:1',
    queryUrl: 'http://127.0.0.1:1/wp-json/qa-platform/query',
    database: 'PostgreSQL 18',
    embedded: false,
    databaseSettings: [],
    account: undefined,
    administrator: 'root',
    site: undefined,
    now: new Date(0),
  });
  expect(text).toContain('Ready at http://127.0.0.1:1, on PostgreSQL 18.');
  expect(text).toContain('Log in at http://127.0.0.1:1/wp-admin/');
  expect(text).toContain('users password root');
  expect(text).not.toMatch(/curl|while this server is stopped/);
});
