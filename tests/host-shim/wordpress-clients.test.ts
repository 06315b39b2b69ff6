// Real, unmodified WordPress clients against a real host over HTTP. wpapi discovers the site and logs in with an application
// password; api-fetch works as it does on a page, with a cookie and a nonce.
import apiFetch from '@wordpress/api-fetch';
import { analyticsExtension } from '../../extension/index';
import { notesExtension } from '../support/notes-extension';
import { logInAs, type PageClient } from '../support/page-client';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';

type Item = Readonly<Record<string, unknown>>;

/** The parts of wpapi's chain that these tests use. wpapi generates it from the host's routes. */
interface Chain {
  me(): Chain;
  id(id: unknown): Chain;
  userId(id: unknown): Chain;
  applicationPasswords(uuid?: unknown): Chain;
  context(name: string): Chain;
  perPage(count: number): Chain;
  param(name: string, value: unknown): Chain;
  get(): Promise<Item & { readonly _paging?: Item }>;
  create(data: object): Promise<Item>;
  update(data: object): Promise<Item>;
  delete(): Promise<Item>;
}

interface Site {
  auth(credentials: object): Site;
  users(): Chain;
  plugins(): Chain;
  namespace(name: string): Record<string, () => Chain>;
}

// The package has no type definitions.
const WPAPI: { discover(url: string): Promise<Site> } = jest.requireActual('wpapi');

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [analyticsExtension(SETTINGS), notesExtension()],
    sites: [{ tracking_id: 'demo', domain: 'demo.example', name: 'Demo', timezone: 'UTC' }],
    users: [
      { login: 'ann', role: 'analyst', sites: ['demo'] },
      { login: 'root', role: 'administrator' },
    ],
  });
});
afterAll(() => host?.stop());

async function discoverAs(login: string): Promise<Site> {
  const site = await WPAPI.discover(host.url);
  const { secret } = host.credentials(login);
  return site.auth({ username: login, password: secret });
}

describe('wpapi', () => {
  test('discovers the site through the Link header, and finds the routes of every namespace', async () => {
    const site = await WPAPI.discover(host.url);
    expect(Object.keys(site.namespace('wp/v2'))).toEqual(expect.arrayContaining(['users', 'plugins']));
    expect(Object.keys(site.namespace('qa-platform'))).toEqual(expect.arrayContaining(['guide', 'query']));
  });

  test('is anonymous without credentials', async () => {
    const site = await WPAPI.discover(host.url);
    await expect(site.users().me().get()).rejects.toMatchObject({ code: 'rest_not_logged_in' });
  });

  test("reads the user's own account", async () => {
    const site = await discoverAs('ann');
    await expect(site.users().me().get()).resolves.toMatchObject({ slug: 'ann' });
    await expect(site.users().me().context('edit').get()).resolves.toMatchObject({
      username: 'ann',
      roles: ['analyst'],
    });
  });

  test("calls the extension's routes", async () => {
    const site = await discoverAs('ann');
    const guide = await site.namespace('qa-platform').guide?.().get();
    expect(guide).toMatchObject({
      sites: expect.arrayContaining([expect.objectContaining({ tracking_id: 'demo' })]),
    });
  });

  test('reads the accounts page by page', async () => {
    const site = await discoverAs('root');
    const { _paging } = await site.users().perPage(1).get();
    expect(_paging).toMatchObject({ total: 2, totalPages: 2, links: { next: expect.any(String) } });
  });

  test('creates, lists, reads, renames and revokes an application password', async () => {
    const site = await discoverAs('ann');
    const passwords = () => site.users().userId('me').applicationPasswords();
    const created = await passwords().create({ name: 'By wpapi' });
    expect(created).toMatchObject({
      name: 'By wpapi',
      password: expect.stringMatching(/^(\w{4} ){5}\w{4}$/),
    });

    const secret = String(created.password);
    const other = (await WPAPI.discover(host.url)).auth({ username: 'ann', password: secret });
    await expect(other.users().userId('me').applicationPasswords('introspect').get()).resolves.toMatchObject({
      uuid: created.uuid,
    });

    const listed: readonly Item[] = Object.values(await passwords().get()) as Item[];
    expect(listed.map(({ uuid }) => uuid)).toContain(created.uuid);
    const one = () => site.users().userId('me').applicationPasswords(created.uuid);
    await expect(one().update({ name: 'Renamed' })).resolves.toMatchObject({ name: 'Renamed' });
    await expect(one().get()).resolves.toMatchObject({ name: 'Renamed' });
    await expect(one().delete()).resolves.toMatchObject({ deleted: true, previous: { name: 'Renamed' } });
    await expect(other.users().me().get()).rejects.toMatchObject({ code: 'incorrect_password' });
  });

  test('lists the extensions', async () => {
    const site = await discoverAs('root');
    const plugins = Object.values(await site.plugins().get()) as Item[];
    expect(plugins).toEqual([expect.objectContaining({ plugin: 'notes', status: 'active' })]);
  });
});

describe('@wordpress/api-fetch', () => {
  let page: PageClient;
  const nonces = apiFetch.createNonceMiddleware('');
  beforeAll(async () => {
    page = await logInAs(host, 'ann');
    nonces.nonce = page.nonce;
    apiFetch.use(apiFetch.createRootURLMiddleware(`${host.url}/wp-json/`));
    apiFetch.use(nonces);
    // A browser does this automatically.
    apiFetch.use((options, next) =>
      next({ ...options, headers: { ...options.headers, Cookie: page.cookie } }),
    );
  });

  test('is authenticated as the user of the session', async () => {
    await expect(apiFetch({ path: '/wp/v2/users/me?context=edit' })).resolves.toMatchObject({
      username: 'ann',
    });
  });

  test('gets a fresh nonce with each response', async () => {
    const response = await apiFetch<unknown, false>({ path: '/wp/v2/users/me', parse: false });
    expect(response.headers.get('x-wp-nonce')).toBe(page.nonce);
  });

  test('discovers the namespaces', async () => {
    await expect(apiFetch({ path: '/?_fields=namespaces' })).resolves.toEqual({
      namespaces: expect.arrayContaining(['wp/v2', 'qa-platform']),
    });
  });

  test('creates, lists, renames and revokes an application password (PUT and DELETE sent as POST with a method override)', async () => {
    const path = '/wp/v2/users/me/application-passwords';
    const created = await apiFetch<Item>({ path, method: 'POST', data: { name: 'By api-fetch' } });
    expect(created.password).toMatch(/^(\w{4} ){5}\w{4}$/);
    const one = `${path}/${created.uuid}`;
    await expect(apiFetch({ path: one, method: 'PUT', data: { name: 'Renamed' } })).resolves.toMatchObject({
      name: 'Renamed',
    });
    const listed = await apiFetch<Item[]>({ path });
    expect(listed.map(({ name }) => name)).toContain('Renamed');
    await expect(apiFetch({ path: one, method: 'DELETE' })).resolves.toMatchObject({ deleted: true });
    await expect(apiFetch({ path: one })).rejects.toMatchObject({
      code: 'rest_application_password_not_found',
      data: { status: 404 },
    });
  });

  test('reads permissions from Allow, as canUser in core-data does', async () => {
    const allowed = async (path: string) => {
      const response = await apiFetch<unknown, false>({ path, method: 'OPTIONS', parse: false });
      return response.headers.get('allow');
    };
    expect(await allowed('/wp/v2/users/me/application-passwords')).toBe('GET, POST, DELETE');
    expect(await allowed('/wp/v2/users')).toBeNull();
  });

  test('gets the error for a missing parameter', async () => {
    const path = '/wp/v2/users/me/application-passwords';
    await expect(apiFetch({ path, method: 'POST', data: {} })).rejects.toMatchObject({
      code: 'rest_missing_callback_param',
      data: { params: ['name'] },
    });
  });

  test('reads a list page by page', async () => {
    const ann = page;
    page = await logInAs(host, 'root');
    nonces.nonce = page.nonce;
    const response = await apiFetch<Item[]>({ path: '/wp/v2/users?per_page=-1' });
    expect(response.map(({ slug }) => slug)).toEqual(['ann', 'root']);
    page = ann;
    nonces.nonce = ann.nonce;
  });

  test('fetches a new nonce if a nonce from another session is rejected', async () => {
    const other = await logInAs(host, 'root');
    nonces.nonce = other.nonce;
    const fetchSpy = jest.spyOn(globalThis, 'fetch');
    apiFetch.nonceEndpoint = `${host.url}/wp-json/none`;
    await expect(apiFetch({ path: '/wp/v2/users/me' })).rejects.toMatchObject({
      code: 'rest_cookie_invalid_nonce',
      data: { status: 403 },
    });
    expect(fetchSpy).toHaveBeenLastCalledWith(apiFetch.nonceEndpoint);
    fetchSpy.mockRestore();
    nonces.nonce = page.nonce;
  });
});
