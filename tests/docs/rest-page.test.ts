// Every curl command in the how-to about the REST interface returns the status shown above it. The test parses the arguments of
// curl and sends the requests to a test host.
import { analyticsExtension } from '../../extension/index';
import { notesExtension } from '../support/notes-extension';
import { basicHeader, SETTINGS, startTestHost, type TestHost } from '../support/test-host';
import { blocksOf } from './fenced-blocks';

const PASSWORDS = '/wp-json/wp/v2/users/me/application-passwords';
const SERVER = 'http://127.0.0.1:8080';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const;
type Method = (typeof METHODS)[number];

interface Example {
  readonly status: number;
  readonly command: string;
}

const examples: readonly Example[] = blocksOf('docs/how-to/rest.md', 'sh').flatMap(({ text }) =>
  [...text.replaceAll('\\\n', ' ').matchAll(/^# (\d{3}).*\n(curl .*)$/gm)].map(([, status, command]) => ({
    status: Number(status),
    command: command ?? '',
  })),
);

let host: TestHost;
const uuids = new Map<string, string>();
beforeAll(async () => {
  const site = (id: string) => ({ tracking_id: id, domain: `${id}.example`, name: id, timezone: 'UTC' });
  host = await startTestHost({
    extensions: [analyticsExtension(SETTINGS), notesExtension()],
    sites: [site('shop'), site('blog')],
    users: [
      { login: 'anna', role: 'analyst', sites: ['shop', 'blog'] },
      { login: 'root', role: 'administrator' },
    ],
  });
  for (const name of ['$UUID', '$OTHER'])
    uuids.set(name, (await host.createApplicationPassword('anna', name)).uuid);
});
afterAll(() => host?.stop());

const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) =>
    (single ?? double ?? bare ?? '').replace(/\$(UUID|OTHER)/, (name) => uuids.get(name) ?? name),
  );

async function run(command: string) {
  const headers: Record<string, string> = {};
  const fields: string[] = [];
  let method: Method | undefined;
  let url = '';
  let data: string | undefined;
  const words = wordsOf(command).slice(1);
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const value = words[index + 1] ?? '';
    if (!word.startsWith('-')) {
      url = word;
      continue;
    }
    index += 1;
    if (word === '-u') headers.Authorization = basicHeader(host.credentials(value.split(':')[0] ?? ''));
    else if (word === '-X') method = METHODS.find((one) => one === value);
    else if (word === '-H') headers[value.split(': ')[0] ?? ''] = value.split(': ')[1] ?? '';
    else if (word === '--data') data = value;
    else if (word === '--data-urlencode')
      fields.push(value.replace(/=.*/, (text) => `=${encodeURIComponent(text.slice(1))}`));
    else throw new Error(`this test does not support curl ${word}`);
  }
  if (fields.length > 0) {
    data = fields.join('&');
    headers['Content-Type'] = 'application/x-www-form-urlencoded';
  }
  expect(url).toContain(SERVER);
  return host.request(method ?? (data === undefined ? 'GET' : 'POST'), url.replace(SERVER, ''), {
    headers,
    ...(data !== undefined && { body: data }),
  });
}

test('every section has an example', () => {
  const shown = examples.map(({ command }) => command).join('\n');
  for (const part of [
    'users/me',
    PASSWORDS,
    'introspect',
    '/plugins',
    '_fields',
    '_envelope',
    'Override',
    'OPTIONS',
  ])
    expect(shown).toContain(part);
});

// The examples run in order, because some depend on earlier ones.
test.each(examples.map(({ status, command }) => [status, command] as const))(
  '%i: %s',
  async (status, command) => {
    const response = await run(command);
    expect({ status: response.status, text: response.status === status || response.text }).toEqual({
      status,
      text: true,
    });
  },
);
