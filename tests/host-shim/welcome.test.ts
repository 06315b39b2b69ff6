// The welcome message: who can log in, how to reset a password, and the lines that extensions add.
import { topPagesQuery } from '../../extension/api/top-pages-query';
import { type Welcome, welcomeText } from '../../host-shim/cli/welcome';
import { PROGRAM } from '../../host-shim/extension-api';
import { configure } from '../../host-shim/server/config';

test.each([
  ['UTC', '2026-02-13T00:00:00', '2026-03-15T00:00:00'],
  ['Asia/Tokyo', '2026-02-14T00:00:00', '2026-03-16T00:00:00'],
  ['America/New_York', '2026-02-13T00:00:00', '2026-03-15T00:00:00'],
])('the first query covers the last 30 days in %s', (timezone, start, end) => {
  const now = new Date('2026-03-15T20:00:00Z');
  const body = topPagesQuery({ trackingId: 'demo', timezone, days: 30, now, counts: true });
  expect(body).toMatchObject({ qal: { tracking_id: 'demo', time: { start, end, tz: timezone } } });
});

const secondStart = (environment: Record<string, string>, lines: readonly string[] = []): Welcome => ({
  url: 'http://127.0.0.1:1',
  healthUrl: undefined,
  database: 'PostgreSQL 18',
  config: configure([], environment).config,
  account: undefined,
  administrator: 'root',
  lines,
});

test.each([
  ['the default directory', {}, `  ${PROGRAM}`],
  ['a different directory', { DATA_DIR: "/srv/it's" }, `  DATA_DIR='/srv/it'\\''s' ${PROGRAM}`],
  ['other PostgreSQL programs', { PG_BINDIR: '/usr/pg' }, `  PG_BINDIR='/usr/pg' ${PROGRAM}`],
])('the reset command opens the same database: %s', (_label, environment, line) => {
  expect(welcomeText(secondStart(environment))).toContain(`\n${line} users password root\n`);
});

test('the reset command contains DATABASE_URL without its value', () => {
  const text = welcomeText(secondStart({ DATABASE_URL: 'postgres://me:hunter2@db/x', DATA_DIR: '/unused' }));
  expect(text).toContain(`(with the same DATABASE_URL set):\n\n  ${PROGRAM} users password root`);
  expect(text).not.toMatch(/hunter2|DATA_DIR/);
});

test('the whole message without lines from extensions', () => {
  expect(welcomeText(secondStart({}))).toBe(`
Ready at http://127.0.0.1:1, using PostgreSQL 18.

Log in at http://127.0.0.1:1/wp-admin/ to manage users and application passwords.

To replace a lost login password:

  ${PROGRAM} users password root

Press Ctrl-C to stop.
`);
});

test('lines from extensions come after the reset command', () => {
  expect(welcomeText(secondStart({}, ['Ask:', '', 'curl it']))).toContain(
    'bin/qal users password root\n\nAsk:\n\ncurl it\n\nPress Ctrl-C to stop.\n',
  );
});
