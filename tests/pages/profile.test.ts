// The "Profile" page: name, e-mail, time zone, login password, and "log out everywhere".
import { findAccountByLogin } from '../../host-shim/accounts/accounts';
import { logInAs, sendPageRequest } from '../support/page-client';
import { LOGIN_PASSWORD, startTestHost, type TestHost } from '../support/test-host';

const PROFILE = '/wp-admin/profile';
const NEW_PASSWORD = 'ein ganz neues Paßwort';

let host: TestHost;

beforeAll(async () => {
  host = await startTestHost({
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: 'お店', timezone: 'Asia/Tokyo' },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'ann', role: 'administrator', email: 'ann@example.org' },
      { login: 'bob', role: 'analyst', sites: ['shop'] },
    ],
  });
});
afterAll(() => host.stop());

const account = (login: string) => findAccountByLogin(host.database.write, login);
const details = (fields: Record<string, string>) => ({
  action: 'details',
  displayName: '',
  email: '',
  timezone: 'UTC',
  ...fields,
});

test("shows the user's account and sites", async () => {
  const ann = await (await logInAs(host, 'ann')).get(PROFILE);
  expect(ann.text).toMatch(/<dt>Sites<\/dt><dd>all</);
  const bob = await (await logInAs(host, 'bob')).get(PROFILE);
  expect(bob.text).toMatch(/<dt>Role<\/dt><dd>analyst</);
  expect(bob.text).toMatch(/<dt>Sites<\/dt><dd>お店</);
  expect(bob.text).not.toContain('Blog');
});

describe('name, e-mail and time zone', () => {
  test('are saved and shown', async () => {
    const bob = await logInAs(host, 'bob');
    const response = await bob.post(
      PROFILE,
      details({ displayName: ' Bob “Größe” 山田 ', email: 'bob@example.org', timezone: 'asia/tokyo' }),
    );
    expect([response.status, response.headers.location]).toEqual([303, PROFILE]);
    const { text } = await bob.follow(response);
    expect(text).toContain('Saved.');
    expect(text).toContain('<a href="/wp-admin/profile">Bob “Größe” 山田</a>');
    expect(await account('bob')).toMatchObject({
      displayName: 'Bob “Größe” 山田',
      email: 'bob@example.org',
      timezone: 'Asia/Tokyo',
      sites: ['shop'],
      role: 'analyst',
    });
  });

  test('an empty name is replaced with the login, and an empty e-mail address is removed', async () => {
    const bob = await logInAs(host, 'bob');
    await bob.post(PROFILE, details({}));
    expect(await account('bob')).toMatchObject({ displayName: 'bob', email: null, timezone: 'UTC' });
  });

  test('all errors are shown at once, next to their fields; the form keeps its values, and nothing is saved', async () => {
    const bob = await logInAs(host, 'bob');
    const before = await account('bob');
    const { status, text } = await bob.post(
      PROFILE,
      details({ displayName: 'B'.repeat(101), email: 'no-address', timezone: 'Berlin' }),
    );
    expect(status).toBe(400);
    const faultAt = (field: string) =>
      new RegExp(`id="field-${field}-fault" class="fault">([^<]*)<`).exec(text)?.[1];
    expect(faultAt('displayName')).toBe('A name must have at most 100 characters.');
    expect(faultAt('email')).toBe('This is not an e-mail address.');
    expect(faultAt('timezone')).toBe(
      'A time zone must be a full name such as Europe/Berlin or Asia/Tokyo, or UTC.',
    );
    expect(text).toMatch(
      /id="field-email" [^>]*value="no-address" aria-invalid="true" aria-describedby="field-email-fault/,
    );
    expect(await account('bob')).toEqual(before);
  });

  test('only administrators see that an e-mail address is taken; others get only a few attempts', async () => {
    await host.createUser({ login: 'fred@example.org', role: 'analyst' });
    const ann = await logInAs(host, 'ann');
    const response = await ann.post(PROFILE, details({ email: 'fred@example.org' }));
    expect(response.text).toContain('Another account has that e-mail address');
    await host.createUser({ login: 'gina', role: 'analyst' });
    const gina = await logInAs(host, 'gina');
    const attempt = (email: string) => gina.post(PROFILE, details({ email }));
    for (const email of ['ann@example.org', 'fred@example.org'])
      expect((await attempt(email)).text).toContain(
        'fault">That e-mail address cannot be used here; an administrator can help.<',
      );
    for (const email of ['free1@example.org', 'free2@example.org', 'gina@example.org'])
      expect((await attempt(email)).status).toBe(303);
    const refused = await attempt('free3@example.org');
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/Too many e-mail addresses were tried; try again in \d+ s\./);
    expect(await account('gina')).toMatchObject({ email: 'gina@example.org' });
    expect((await attempt('GINA@example.org')).status).toBe(303);
    expect((await attempt('')).status).toBe(303);
  });

  test("another user's e-mail address is rejected, and the time zone in the same form is not saved either", async () => {
    const bob = await logInAs(host, 'bob');
    const { status, text } = await bob.post(
      PROFILE,
      details({ email: 'ANN@example.org', timezone: 'Europe/Berlin' }),
    );
    expect(status).toBe(400);
    expect(text).toContain('That e-mail address cannot be used here');
    expect(await account('bob')).toMatchObject({ email: null, timezone: 'UTC' });
  });
});

describe('the login password', () => {
  const change = (fields: Record<string, string>) => ({
    action: 'password',
    oldPassword: LOGIN_PASSWORD,
    newPassword: NEW_PASSWORD,
    repeated: NEW_PASSWORD,
    ...fields,
  });

  test('can be changed by a user who knows it; all sessions end, and application passwords still work', async () => {
    await host.createUser({ login: 'carl', role: 'analyst' });
    const { secret } = await host.createApplicationPassword('carl');
    const [here, elsewhere] = [await logInAs(host, 'carl'), await logInAs(host, 'carl')];
    const response = await here.post(PROFILE, change({}));
    expect(response.headers.location).toBe('/wp-login.php?loggedout=password');
    expect((await here.follow(response)).text).toContain('Your login password has been changed');
    expect((await here.get(PROFILE)).status).toBe(303);
    expect((await elsewhere.get(PROFILE)).status).toBe(303);
    await expect(logInAs(host, 'carl')).rejects.toThrow('status 401');
    await logInAs(host, 'carl', { password: NEW_PASSWORD });
    const me = await host.request('GET', '/wp-json/wp/v2/users/me', { user: { login: 'carl', secret } });
    expect(me.status).toBe(200);
  });

  test('a longer string is never accepted as the old password, no matter how long the old password is', async () => {
    await host.createUser({ login: 'long', role: 'analyst' });
    const longest = 'x'.repeat(1024);
    const first = await logInAs(host, 'long');
    await first.post(PROFILE, change({ newPassword: longest, repeated: longest }));
    const page = await logInAs(host, 'long', { password: longest });
    const { status, text } = await page.post(PROFILE, change({ oldPassword: `${longest}y` }));
    expect([status, text]).toEqual([400, expect.stringContaining('That is not your login password.')]);
    expect((await page.post(PROFILE, change({ oldPassword: longest }))).status).toBe(303);
  });

  test.each([
    ['oldPassword', { oldPassword: 'not it' }, 'That is not your login password.'],
    ['repeated', { repeated: 'something else' }, 'The two new passwords differ.'],
    [
      'newPassword',
      { newPassword: 'short', repeated: 'short' },
      'A login password must have at least 8 characters.',
    ],
  ])(
    'an error in %s is shown next to the field, and the form does not return any password',
    async (field, typed, words) => {
      const bob = await logInAs(host, 'bob');
      const { status, text } = await bob.post(PROFILE, change(typed));
      expect(status).toBe(400);
      expect(text).toContain(`id="field-${field}-fault" class="fault">${words}<`);
      for (const password of [LOGIN_PASSWORD, NEW_PASSWORD, ...Object.values(typed)])
        expect(text).not.toContain(`value="${password}"`);
      expect((await bob.get(PROFILE)).status).toBe(200);
    },
  );

  test('cannot be changed by its owner without the old one, not even on the account page', async () => {
    const root = await host.createUser({ login: 'root', role: 'administrator' });
    const page = await logInAs(host, 'root');
    const path = `/wp-admin/users/${root.id}`;
    expect((await page.get(path)).text).not.toContain(`${path}/new-password`);
    const { status, text } = await page.post(`${path}/new-password`, {});
    expect(status).toBe(400);
    expect(text).toContain(
      'Change your own login password on your profile page. You will need your current password.',
    );
    await logInAs(host, 'root');
  });

  test('cannot be guessed from a session that was left open', async () => {
    await host.createUser({ login: 'dora', role: 'analyst' });
    const dora = await logInAs(host, 'dora');
    for (let guess = 0; guess < 5; guess += 1)
      await dora.post(PROFILE, change({ oldPassword: `guess ${guess}` }));
    const { status, text } = await dora.post(PROFILE, change({}));
    expect(status).toBe(400);
    expect(text).toMatch(/Too many wrong passwords; try again in \d+ s\./);
    await logInAs(host, 'dora');
  });
});

test('"log out everywhere" counts and ends the sessions of this account only', async () => {
  await host.createUser({ login: 'emil', role: 'analyst' });
  const ann = await logInAs(host, 'ann');
  const first = await logInAs(host, 'emil');
  expect((await first.get(PROFILE)).text).toContain('Logged in from this browser only.');
  const second = await logInAs(host, 'emil');
  expect((await first.get(PROFILE)).text).toContain('Logged in from 2 browsers, including this one.');
  const response = await first.post(PROFILE, { action: 'log-out-everywhere' });
  expect((await first.follow(response)).text).toContain('You have been logged out everywhere.');
  expect((await first.get(PROFILE)).status).toBe(303);
  expect((await second.get(PROFILE)).status).toBe(303);
  expect((await ann.get(PROFILE)).status).toBe(200);
});

test.each([{}, { action: 'delete' }])(
  'a form with %j is rejected with a message',
  async (fields: Record<string, string>) => {
    const bob = await logInAs(host, 'bob');
    const { status, text } = await bob.post(PROFILE, fields);
    expect(status).toBe(400);
    expect(text).toContain('The form has no valid action');
  },
);

test('the page has no subpages', async () => {
  expect((await (await logInAs(host, 'bob')).get(`${PROFILE}/x`)).status).toBe(404);
  expect((await sendPageRequest(host, PROFILE)).status).toBe(303);
});
