// A viewer can see dashboards and nothing else. An account can be deleted, and its data is deleted or passed to another account.
import type { Knex } from 'knex';
import { analyticsExtension } from '../../extension/index';
import { accounts } from '../../host-shim/accounts/accounts';
import { logInAs, type PageClient } from '../support/page-client';
import { pageExtension } from '../support/page-extension';
import { sendRequest } from '../support/send-request';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';
import { until } from '../support/until';

const revoked: object[] = [];
const listener = pageExtension([], (host) =>
  host.addAction('application_password_revoked', (event) => void revoked.push(event)),
);

let host: TestHost;
let ann: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [analyticsExtension(SETTINGS), listener],
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'vic', role: 'viewer', sites: ['blog'] },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
      { login: 'eve', role: 'analyst', sites: ['shop'] },
      { login: 'max', role: 'analyst', sites: ['shop'] },
    ],
  });
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

const idOf = async (login: string): Promise<number> =>
  (await host.database.write('host.users').where({ login }).first('user_id'))?.user_id;

const call = ({ cookie, nonce }: PageClient, path: string, body: object) =>
  sendRequest({
    method: 'POST',
    url: `${host.url}/wp-json/${path}`,
    headers: [
      ['Cookie', cookie],
      ['X-WP-Nonce', nonce],
      ['Content-Type', 'application/json'],
    ],
    body: JSON.stringify(body),
  });

describe('a viewer', () => {
  test('sees the dashboards of granted sites, and their own profile', async () => {
    const vic = await logInAs(host, 'vic');
    const { status, text } = await vic.get('/wp-admin/dashboard');
    expect(status).toBe(200);
    expect(text).toContain('data-site="blog"');
    expect(text).not.toContain('id="share"');
    expect([...text.matchAll(/<li><a href="\/wp-admin\/([a-z-]+)"/g)].map(([, slug]) => slug)).toEqual([
      'dashboard',
      'funnels',
      'retention',
      'profile',
    ]);
    const request = {
      site: 'blog',
      period: '7d',
      compare: 'none',
      filters: [],
      parts: [{ id: 'total visits' }],
    };
    expect((await call(vic, `${SETTINGS.namespace}-pages/dashboard`, request)).status).toBe(200);
    const other = { ...request, site: 'shop' };
    expect((await call(vic, `${SETTINGS.namespace}-pages/dashboard`, other)).status).toBe(404);
  });

  test.each(['playground', 'queries', 'application-passwords', 'sites', 'imports', 'users', 'connection'])(
    'cannot open %s',
    async (slug) => {
      const vic = await logInAs(host, 'vic');
      expect((await vic.get(`/wp-admin/${slug}`)).status).toBe(403);
    },
  );

  test('cannot query, even with an application password', async () => {
    const vic = await logInAs(host, 'vic');
    expect((await call(vic, `${SETTINGS.namespace}/query`, { qal: {} })).status).toBe(403);
    expect((await vic.get(`/wp-json/${SETTINGS.namespace}/guide`)).status).not.toBe(200);
    const { secret } = await host.createApplicationPassword('vic');
    const { status } = await sendRequest({
      method: 'POST',
      url: `${host.url}/wp-json/${SETTINGS.namespace}/query`,
      headers: [
        ['Authorization', `Basic ${Buffer.from(`vic:${secret}`).toString('base64')}`],
        ['Content-Type', 'application/json'],
      ],
      body: '{"qal": {}}',
    });
    expect(status).toBe(403);
  });

  test('cannot create an application password', async () => {
    const vic = await logInAs(host, 'vic');
    const { status } = await call(vic, 'wp/v2/users/me/application-passwords', { name: 'key' });
    expect(status).toBe(403);
  });
});

describe('deleting an account', () => {
  const queryOf = (userId: number, login: string, name: string) => ({
    user_id: userId,
    login,
    name,
    body: '{}',
    version: '2026-05-11',
    shared: false,
    changed_at: new Date(),
  });
  const query = (userId: number, login: string, name: string) =>
    host.database.write('analytics.saved_query').insert(queryOf(userId, login, name));
  const namesOf = async (userId: number): Promise<readonly string[]> =>
    (await host.database.write('analytics.saved_query').where('user_id', userId).orderBy('name')).map(
      ({ name }) => name,
    );

  test('requires a decision about its data', async () => {
    const id = await idOf('ana');
    expect((await ann.get(`/wp-admin/users/${id}`)).text).toContain(`href="/wp-admin/users/${id}/delete"`);
    const { text } = await ann.get(`/wp-admin/users/${id}/delete`);
    expect(text).toContain('Pass it to eve');
    expect(text).not.toContain('Pass it to ana');
    expect(text).not.toContain('Pass it to vic');
    expect(await idOf('ana')).toBe(id);
  });

  test('its saved queries can be passed to another account, where they are renamed if a name is taken', async () => {
    const [ana, eve] = [await idOf('ana'), await idOf('eve')];
    await query(ana, 'ana', 'Top pages');
    await query(ana, 'ana', 'Sources');
    await query(eve, 'eve', 'top pages');
    const session = await logInAs(host, 'ana');
    const { secret, uuid } = await host.createApplicationPassword('ana');
    const answer = await ann.post(`/wp-admin/users/${ana}/delete`, { heir: String(eve) });
    expect((await ann.follow(answer)).text).toContain('ana was deleted.');
    expect(revoked).toEqual([{ userId: ana, uuids: expect.arrayContaining([uuid]) }]);
    expect(await namesOf(eve)).toEqual([
      'Sources',
      expect.stringMatching(/^Top pages \(ana \d+\)$/),
      'top pages',
    ]);
    expect(await idOf('ana')).toBeUndefined();
    expect((await session.get('/wp-admin/dashboard')).status).toBe(303);
    const refused = await sendRequest({
      method: 'GET',
      url: `${host.url}/wp-json/${SETTINGS.namespace}/guide`,
      headers: [['Authorization', `Basic ${Buffer.from(`ana:${secret}`).toString('base64')}`]],
      body: undefined,
    });
    expect(refused.status).toBe(401);
  });

  test('its saved queries can also be deleted with it', async () => {
    const max = await idOf('max');
    await query(max, 'max', 'Mine');
    await ann.post(`/wp-admin/users/${max}/delete`, { heir: '' });
    expect([await idOf('max'), await namesOf(max)]).toEqual([undefined, []]);
  });

  describe('while something is being saved', () => {
    const isWaiting = async (): Promise<boolean> => {
      const { rows } = await host.database.write.raw(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    };

    /** Returns a function that commits what `act` has done. */
    async function begin(act: (transaction: Knex) => Promise<unknown>): Promise<() => Promise<void>> {
      const done = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      const transaction = host.database.write.transaction(async (trx) => {
        await act(trx);
        done.resolve();
        await end.promise;
      });
      await Promise.race([done.promise, transaction]);
      return () => {
        end.resolve();
        return transaction;
      };
    }

    test('what is saved before the deletion is deleted with the account', async () => {
      const { id } = await host.createUser({ login: 'kim', role: 'analyst', sites: ['shop'] });
      const commit = await begin(async (saving) => {
        expect(await accounts.hold(saving, id)).toBe(true);
        await saving('analytics.saved_query').insert(queryOf(id, 'kim', 'Last'));
      });
      const deleting = ann.post(`/wp-admin/users/${id}/delete`, { heir: '' });
      await until(isWaiting);
      await commit();
      expect((await deleting).status).toBe(303);
      expect([await idOf('kim'), await namesOf(id)]).toEqual([undefined, []]);
    });

    test.each([
      ['saved-queries', { name: 'Late', text: '{}', version: '2026-05-11', shared: true }],
      [
        'segments',
        {
          tracking_id: 'shop',
          name: 'Late',
          filters: [{ dimension: 'country', not: false, values: ['DE'] }],
          shared: true,
        },
      ],
    ])('nothing is saved after the deletion: %s', async (route, body) => {
      const { id } = await host.createUser({ login: 'lea', role: 'analyst', sites: ['shop'] });
      const lea = await logInAs(host, 'lea');
      const commit = await begin((deleting) => deleting('host.users').where('user_id', id).delete());
      const saving = call(lea, `${SETTINGS.namespace}-pages/${route}`, body);
      await until(isWaiting);
      await commit();
      const { status, body: refusal } = await saving;
      expect([status, refusal.message]).toEqual([403, 'Your account was deleted.']);
      for (const table of ['saved_query', 'segment'])
        expect(await host.database.write(`analytics.${table}`).where('user_id', id)).toEqual([]);
    });
  });

  test('its saved queries cannot be passed to an account that does not exist or cannot open them; users cannot delete their own account', async () => {
    const [own, eve] = [await idOf('ann'), await idOf('eve')];
    for (const heir of ['999', 'abc', '1.5', '99999999999', '0x1', String(eve), String(await idOf('vic'))]) {
      const { status, text } = await ann.post(`/wp-admin/users/${eve}/delete`, { heir });
      expect([heir, status, text.includes('Choose another account.')]).toEqual([heir, 400, true]);
    }
    expect((await ann.post(`/wp-admin/users/${own}/delete`, { heir: '' })).text).toContain(
      'You cannot delete your own account',
    );
    expect([await idOf('ann'), await idOf('eve')]).toEqual([own, eve]);
  });
});
