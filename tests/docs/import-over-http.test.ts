// Every curl command in the how-to about imports over HTTP returns the status shown above it.
import { gzipSync } from 'node:zlib';
import { basicHeader, type Credentials, startTestHost, type TestHost } from '../support/test-host';
import { blocksOf } from './fenced-blocks';

const SERVER = 'http://127.0.0.1:8080';
const view = (number: number, time: string) =>
  `${JSON.stringify({ pv_id: number, url: 'https://shop.example/', access_time: time })}\n`;
const FILES: Readonly<Record<string, Buffer>> = {
  'views.ndjson': Buffer.from(view(1, '2026-05-01T10:00:00Z')),
  'views.csv.gz': gzipSync('url,access_time\nhttps://shop.example/,2026-05-01T11:00:00Z\n'),
  'seen.csv': Buffer.from('seen;page\n2026-05-01T12:00:00Z;/\n'),
  'wrong.ndjson': Buffer.from(view(2, '2026-05-01T10:00:00Z') + view(3, 'noon')),
};

const examples = blocksOf('docs/how-to/import-over-http.md', 'sh').flatMap(({ text }) =>
  [...text.matchAll(/^# (\d{3}).*\n(curl .*)$/gm)].map(
    ([, status, command = '']) => [Number(status), command] as const,
  ),
);

let host: TestHost;
let key: Credentials;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [{ login: 'admin', role: 'administrator' }],
  });
  key = await host.createApplicationPassword('admin', 'imports', { level: 'import' });
});
afterAll(() => host.stop());

test('the page contains an import, a list and the OpenAPI document', () => {
  const shown = examples.map(([, command]) => command).join('\n');
  for (const part of ['/import/allpv?', '/imports?', '/imports/1', '/undo', '/openapi'])
    expect(shown).toContain(part);
});

// The commands run in order, because the list contains the imports of earlier commands.
test.each(examples)('%i: %s', async (status, command) => {
  const [, file] = / -T (\S+)/.exec(command) ?? [];
  const [, url = ''] = /'(http[^']*)'/.exec(command) ?? [];
  const body = file === undefined ? undefined : FILES[file];
  const response = await fetch(url.replace(SERVER, host.url), {
    method: command.includes(' -X POST ') ? 'POST' : 'GET',
    ...(body !== undefined && { body: new Uint8Array(body) }),
    ...(command.includes(' -u ') && { headers: { Authorization: basicHeader(key) } }),
  });
  const text = await response.text();
  expect({ status: response.status, text: response.status === status || text }).toEqual({
    status,
    text: true,
  });
});
