// The line to paste: concrete dates of the last 30 days, in the site's own time zone.
import { firstQueryBody, welcomeText } from '../../host-shim/welcome';

test.each([
  ['UTC', '2026-02-13T00:00:00', '2026-03-15T00:00:00'],
  ['Asia/Tokyo', '2026-02-14T00:00:00', '2026-03-16T00:00:00'],
  ['America/New_York', '2026-02-13T00:00:00', '2026-03-15T00:00:00'],
])('the days of %s', (timezone, start, end) => {
  const body = firstQueryBody({ trackingId: 'demo', timezone }, new Date('2026-03-15T20:00:00Z'));
  expect(body).toMatchObject({ qal: { tracking_id: 'demo', time: { start, end, tz: timezone } } });
});

test('without any site there is no line to paste', () => {
  const text = welcomeText({
    url: 'http://127.0.0.1:1',
    queryUrl: 'http://127.0.0.1:1/wp-json/qa-platform/query',
    database: 'PostgreSQL 18',
    embedded: false,
    account: undefined,
    administrator: 'root',
    site: undefined,
    now: new Date(0),
  });
  expect(text).toContain('Ready at http://127.0.0.1:1, on PostgreSQL 18.');
  expect(text).toContain('passwords create root --name NAME');
  expect(text).not.toMatch(/curl|while this server is stopped/);
});
