// The installation's documentation: every page can be read without a login, and no link is broken.
import { startTestHost, type TestAnswer, type TestHost } from '../support/test-host';

let host: TestHost;
const answers = new Map<string, TestAnswer>();
beforeAll(async () => {
  host = await startTestHost({
    users: [{ login: 'ann', role: 'analyst' }],
    settings: { docsUrl: undefined },
  });
  // Iterating over a set includes entries that are added during the iteration.
  const waiting = new Set(['/docs/']);
  for (const address of waiting) {
    const answer = await host.request('GET', address);
    answers.set(address, answer);
    if (answer.headers['content-type']?.startsWith('text/html') !== true) continue;
    for (const [path] of linksOf(answer)) if (path !== '' && path.startsWith('/docs/')) waiting.add(path);
  }
});
afterAll(() => host.stop());

/** The link targets on this host: path and anchor, either of which may be empty. */
const linksOf = ({ text }: TestAnswer): readonly (readonly [path: string, anchor: string])[] =>
  [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [path = '', anchor = ''] = target.split('#');
    return [[path, anchor] as const];
  });

const pages = () =>
  [...answers].filter(([, { headers }]) => headers['content-type']?.startsWith('text/html'));

test('every linked page and file exists', () => {
  expect([...answers].filter(([, { status }]) => status !== 200).map(([address]) => address)).toEqual([]);
  expect(answers.size).toBeGreaterThan(70);
  for (const address of [
    '/docs/how-to/import/',
    '/docs/reference/errors/',
    '/docs/manifests/guide/',
    '/docs/files/LICENSE',
  ])
    expect([...answers.keys()]).toContain(address);
});

test('links to pages are absolute paths, and links to headings exist', () => {
  for (const [address, answer] of pages())
    for (const [path, anchor] of linksOf(answer)) {
      expect([address, path]).toEqual([address, expect.stringMatching(/^(\/.*)?$/)]);
      if (anchor === '' || (path !== '' && !path.startsWith('/docs/'))) continue;
      const { text = '' } = answers.get(path === '' ? address : path) ?? {};
      if (anchor !== 'content') expect([address, text.includes(`id="${anchor}"`)]).toEqual([address, true]);
    }
});

test('documentation pages have the same layout and protections as all other pages', async () => {
  const login = await host.request('GET', '/wp-login.php');
  const policy = ({ headers }: TestAnswer) =>
    headers['content-security-policy']?.replace(/'nonce-[^']*'/, "'nonce'");
  for (const [, answer] of pages()) {
    expect(policy(answer)).toBe(policy(login));
    expect(answer.text).toMatch(/<h1>[^<]+<\/h1>/);
    expect(answer.text).not.toContain('style="');
  }
  expect(answers.get('/docs/reference/errors/')?.text).toContain('<table>');
});

test('configuration and source files are served as text, and images as images', () => {
  const typeOf = (address: string) => answers.get(`/docs/files/${address}`)?.headers['content-type'];
  expect(typeOf('compose.yaml')).toBe('text/plain; charset=utf-8');
  expect(typeOf('docs/pictures/dashboard.webp')).toBe('image/webp');
});

test.each(['/docs', '/docs/how-to/import', '/docs/how-to/import/?x=1'])(
  '%s is also a page',
  async (address) => {
    expect((await host.request('GET', address)).status).toBe(200);
  },
);

test.each([
  '/docs/nothing',
  '/docs/constructor',
  '/docs/pages.json',
  '/docs/files/../pages.json',
  '/docs/files/',
])('%s does not exist', async (address) => {
  expect((await host.request('GET', address)).status).toBe(404);
});

test('every page of the host links to the documentation', async () => {
  expect((await host.request('GET', '/wp-login.php')).text).toContain('<a href="/docs/">Documentation</a>');
});

// conformance: goals.documentation-source-setting
test.each(['2025-10-20', '2026-05-11'])(
  'documentation.source under %s is the URL of this documentation by default',
  async (version) => {
    const { body } = await host.request('GET', `/wp-json/qa-platform/guide?version=${version}`, {
      user: 'ann',
    });
    expect(body.documentation.source).toBe(`${host.url}/docs/`);
  },
);
