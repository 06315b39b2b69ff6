// The "Goals" page over HTTP: the list, the form with its count, and removing goals. The conditions are hostile strings.
import { logInAs, markIn, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const HOSTILE = `</textarea><script>alert("Größe & 'ß'")</script> 東京 🗼`;
const ESCAPED =
  '&lt;/textarea&gt;&lt;script&gt;alert(&quot;Größe &amp; &#39;ß&#39;&quot;)&lt;/script&gt; 東京 🗼';

let host: TestHost;
let admin: PageClient;
let analyst: PageClient;
beforeAll(async () => {
  const goal = {
    id: 2,
    name: `${HOSTILE} 2`,
    type: 'gtype_page',
    condition: { url: HOSTILE, match: 'contains' },
  };
  host = await startTestHost({
    sites: [
      {
        tracking_id: 'shop',
        domain: 'a.example',
        name: HOSTILE,
        timezone: 'UTC',
        default: true,
        goals: [goal],
      },
      { tracking_id: 'blog', domain: 'b.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'admin', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
  });
  const view = (pv_id: number, session_id: number, url: string) => ({
    pv_id,
    session_id,
    url,
    access_time: 1_770_000_000 + pv_id,
  });
  await host.importRows('allpv', 'shop', [
    view(1, 1, `https://a.example/?q=${HOSTILE}`),
    view(2, 1, 'https://a.example/thanks'),
    view(3, 1, 'https://a.example/thanks'),
    view(4, 2, 'https://a.example/thanks'),
  ]);
  const event = { pv_id: 4, access_time: 1_770_000_010, event_name: 'purchase', params: { value: 10 } };
  await host.importRows('datalayer_event', 'shop', [event]);
  admin = await logInAs(host, 'admin');
  analyst = await logInAs(host, 'ana');
});
afterAll(() => host.stop());

const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].slice(1).map((match) =>
    (match[1] ?? '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );

const goalsOf = async (site: string) => rowsOf((await admin.get(`/wp-admin/goals/${site}`)).text);

const thanks = (fields: Record<string, string> = {}) => ({
  id: '1',
  name: 'Danke',
  type: 'gtype_page',
  page_match: 'contains',
  page_url: 'thanks',
  // Fields of other types are ignored.
  depth: 'deep',
  event_params: '{',
  action: 'save',
  ...fields,
});

test('the page redirects to the default site or to the selected one', async () => {
  expect((await admin.get('/wp-admin/goals')).headers.location).toBe('/wp-admin/goals/shop');
  expect((await admin.get('/wp-admin/goals?site=blog')).headers.location).toBe('/wp-admin/goals/blog');
  expect((await admin.get('/wp-admin/goals?site=nowhere')).status).toBe(404);
});

test('goals are described in words, listed with their conversions, and escaped', async () => {
  const { text } = await admin.get('/wp-admin/goals/shop');
  expect(rowsOf(text)).toEqual([
    `goal_2 ${ESCAPED} 2 Page gtype_page the URL contains ${ESCAPED} 1 Edit Remove`,
  ]);
  expect(text).not.toContain('<script>alert');
  expect((await admin.get('/wp-admin/goals/blog')).text).toContain('This site has no goals yet.');
});

test('goals of each type can be added, and the form shows their stored values', async () => {
  const types: readonly (readonly [Record<string, string>, string, RegExp])[] = [
    [thanks(), 'the URL contains thanks 2', /name="page_url" type="text" value="thanks"/],
    [
      { type: 'gtype_click', click_selector: '#buy', click_page: 'https://a.example' },
      'a click on #buy on the page https://a.example 0',
      /name="click_selector" type="text" value="#buy"/,
    ],
    [
      { type: 'gtype_event', event_name: 'purchase', event_params: ' {"value": 10} ' },
      'the event purchase with value = 10 1',
      /name="event_params"[^>]*>\n\{&quot;value&quot;:10\}<\/textarea>/,
    ],
    [
      { type: 'scroll_depth', depth: ' 90 ' },
      'scrolled to 90% or deeper 0',
      /name="depth" type="text" value="90"/,
    ],
    [
      { type: 'url_match', url_text: 'thanks' },
      'the URL contains thanks 2',
      /name="url_text" type="text" value="thanks"/,
    ],
    [
      { type: 'click', selector_text: '#buy' },
      'a click on #buy on any page 0',
      /name="selector_text" type="text" value="#buy"/,
    ],
  ];
  for (const [fields, words, field] of types) {
    const added = await admin.post('/wp-admin/goals/blog/add', { ...thanks(), ...fields, id: '7' });
    expect([fields.type, added.status]).toEqual([fields.type, 303]);
    expect((await goalsOf('blog'))[0]).toContain(words.replace(/ \d+$/, ' 0'));
    await admin.post('/wp-admin/goals/shop/add', { ...thanks(), ...fields, id: '7' });
    expect((await goalsOf('shop'))[1]).toContain(words);
    const form = await admin.get('/wp-admin/goals/shop/7');
    expect(form.text).toMatch(field);
    expect(form.text).toContain(`<option value="${fields.type}" selected>`);
    expect(form.text).toContain('<p>In queries: <code>goal_7</code></p>');
    for (const site of ['shop', 'blog']) await admin.post(`/wp-admin/goals/${site}/7/remove`, {});
  }
  expect(await goalsOf('shop')).toHaveLength(1);
});

test('when a goal is changed, its conversions change with it, and its id stays the same', async () => {
  await admin.post('/wp-admin/goals/shop/add', thanks());
  const changed = await admin.post('/wp-admin/goals/shop/1', thanks({ id: '9', page_url: 'nowhere' }));
  const list = await admin.follow(changed);
  expect(list.text).toContain('Goal 1 was changed. Nothing in the data matches it yet.');
  expect(rowsOf(list.text)[0]).toMatch(/^goal_1 Danke .* nowhere 0 Edit Remove$/);
  await admin.post('/wp-admin/goals/shop/1/remove', {});
});

test('removing a goal must be confirmed, and works without JavaScript', async () => {
  await admin.post('/wp-admin/goals/shop/add', thanks({ name: HOSTILE }));
  const question = await admin.get('/wp-admin/goals/shop/1/remove');
  expect(question.text).toContain(`<dd>${ESCAPED}</dd>`);
  expect(question.text).toContain('<dt>Conversions</dt><dd>2</dd>');
  expect(await goalsOf('shop')).toHaveLength(2);
  const list = await admin.follow(await admin.post('/wp-admin/goals/shop/1/remove', {}));
  expect(list.text).toContain('Goal 1 was removed.');
  expect(rowsOf(list.text)).toHaveLength(1);
  expect((await admin.get('/wp-admin/goals/shop/1/remove')).status).toBe(404);
});

describe('errors are shown next to their fields, the form keeps its values, and nothing is saved', () => {
  const regex = { page_match: 'regex', page_url: `(${HOSTILE}` };
  test.each([
    ['an empty name', { name: ' ' }, 'name', 'must not be empty'],
    [
      'a name that another goal has',
      { name: ` ${HOSTILE.toLowerCase()} 2` },
      'name',
      'goal 2 already has this name',
    ],
    ['an empty URL', { page_url: '' }, 'page_url', 'must not be empty'],
    ['a broken pattern', regex, 'page_url', 'must be a regular expression'],
    [
      'a pattern that only the database rejects',
      { ...regex, page_url: 'a{300}' },
      'page_url',
      'that PostgreSQL accepts',
    ],
    ['a taken id', { id: '2' }, 'id', 'goal 2 already exists'],
    ['an invalid id', { id: 'x' }, 'id', 'must be'],
    ['a type that does not exist', { type: 'visit' }, 'type', 'must be one of gtype_page'],
    ['an impossible depth', { type: 'scroll_depth', depth: '101' }, 'depth', 'must be at most 100'],
    ['an empty selector', { type: 'gtype_click' }, 'click_selector', 'must not be empty'],
    ['an empty event name', { type: 'gtype_event', event_params: '' }, 'event_name', 'must not be empty'],
    ['broken JSON', { type: 'gtype_event', event_name: 'e' }, 'event_params', 'must be a JSON object: '],
    [
      'a list of parameters',
      { type: 'gtype_event', event_name: 'e', event_params: '[1]' },
      'event_params',
      'JSON object',
    ],
    [
      'a second name for the event',
      { type: 'gtype_event', event_name: 'e', event_params: '{"event": "f"}' },
      'event_params',
      'must not contain &quot;event&quot;',
    ],
    [
      'a number that would be rounded',
      { type: 'gtype_event', event_name: 'e', event_params: '{"n": 9007199254740993}' },
      'event_params',
      'contains the number 9007199254740993, which would be stored as',
    ],
    [
      'a repeated parameter',
      { type: 'gtype_event', event_name: 'e', event_params: '{"a": 1, "a": 2}' },
      'event_params',
      'has the key &quot;a&quot; twice',
    ],
    ['an id in a different notation', { id: '0x4' }, 'id', 'must be'],
    [
      'a name with an invisible character',
      { name: 'a\u202eb' },
      'name',
      'contains the invisible character U+202E',
    ],
    [
      'a parameter name that would be lost in a copy of the object',
      { type: 'gtype_event', event_name: 'e', event_params: '{"__proto__": {"a": 1}}' },
      'event_params',
      '__proto__ cannot be the name',
    ],
  ])('%s', async (_name, fields, field, words) => {
    const { status, text } = await admin.post('/wp-admin/goals/shop/add', thanks(fields));
    expect(status).toBe(400);
    expect(text).toContain('Nothing was saved');
    const fault = new RegExp(`id="field-${field}-fault" class="fault">([^<]*)<`).exec(text)?.[1];
    expect(fault).toContain(words);
    expect(text).not.toContain('<script>alert');
    for (const typed of Object.values(fields))
      if (typed === regex.page_url) expect(text).toContain(`value="(${ESCAPED}"`);
    expect(await goalsOf('shop')).toHaveLength(1);
  });
});

test('a form is rejected if its action is neither save nor count', async () => {
  const { status, text } = await admin.post('/wp-admin/goals/shop/add', thanks({ action: 'zzz' }));
  expect(status).toBe(400);
  expect(text).toContain('must be save or count');
  expect(await goalsOf('shop')).toHaveLength(1);
});

test('when two users change a goal, the second sees what the first saved', async () => {
  await admin.post('/wp-admin/goals/shop/add', thanks());
  const mark = markIn(await admin.get('/wp-admin/goals/shop/1'));
  expect((await admin.post('/wp-admin/goals/shop/1', thanks({ mark, name: HOSTILE }))).status).toBe(303);
  const second = await admin.post('/wp-admin/goals/shop/1', thanks({ mark, name: 'Second' }));
  expect(second.status).toBe(409);
  expect(second.text).toContain('Another user changed this while you were editing, so nothing was saved.');
  expect(second.text).toContain(`<dt>Name</dt><dd>${ESCAPED}</dd>`);
  expect(second.text).toContain('value="Second"');
  expect((await goalsOf('shop'))[0]).toContain(`goal_1 ${ESCAPED}`);
  const again = thanks({ mark: markIn(second), name: 'Second' });
  expect((await admin.post('/wp-admin/goals/shop/1', again)).status).toBe(303);
  expect((await goalsOf('shop'))[0]).toContain('goal_1 Second');
  await admin.post('/wp-admin/goals/shop/1/remove', {});
});

test('a goal that changed after the confirmation page was opened is not removed', async () => {
  await admin.post('/wp-admin/goals/shop/add', thanks());
  const mark = markIn(await admin.get('/wp-admin/goals/shop/1/remove'));
  await admin.post('/wp-admin/goals/shop/1', thanks({ name: HOSTILE }));
  const refused = await admin.post('/wp-admin/goals/shop/1/remove', { mark });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('Another user has changed this goal, so it was not removed.');
  expect(refused.text).toContain(`<dd>${ESCAPED}</dd>`);
  expect(await goalsOf('shop')).toHaveLength(2);
  const removed = await admin.post('/wp-admin/goals/shop/1/remove', { mark: markIn(refused) });
  expect(removed.status).toBe(303);
  expect(await goalsOf('shop')).toHaveLength(1);
});

test('showing a form does not require counting conversions', async () => {
  await host.database.write.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE analytics.conversion IN ACCESS EXCLUSIVE MODE');
    expect((await admin.get('/wp-admin/goals/shop/2')).status).toBe(200);
    expect((await admin.post('/wp-admin/goals/shop/add', thanks({ action: 'count' }))).status).toBe(200);
    expect((await admin.get('/wp-admin/goals/shop')).text).toContain('not counted within');
  });
});

test('a goal whose name predates the naming rules can be listed and removed, and does not prevent imports', async () => {
  const goal = { goal_no: 9, name: 'old\u202ename', type: 'click', condition: '"#old"' };
  const [{ site_id }] = await host.database
    .write('analytics.site')
    .where('tracking_id', 'shop')
    .select('site_id');
  await host.database.write('analytics.goal').insert({ ...goal, site_id });
  expect((await goalsOf('shop')).at(-1)).toContain('goal_9 old\u202ename');
  const view = { pv_id: 99, session_id: 99, url: 'https://a.example/old', access_time: 1_770_000_099 };
  expect(await host.importRows('allpv', 'shop', [view])).toMatchObject({ added: 1 });
  await admin.post('/wp-admin/goals/shop/9/remove', {});
});

test('a site can have ten goals', async () => {
  for (let id = 1; id <= 10; id += 1)
    await admin.post('/wp-admin/goals/blog/add', thanks({ id: String(id), name: `Danke ${id}` }));
  const list = await admin.get('/wp-admin/goals/blog');
  expect(rowsOf(list.text)).toHaveLength(10);
  expect(list.text).toContain('This site has 10 goals, which is the limit.');
  expect((await admin.get('/wp-admin/goals/blog/add')).status).toBe(409);
  await admin.post('/wp-admin/goals/blog/4/remove', {});
  const form = (await admin.get('/wp-admin/goals/blog/add')).text;
  expect([...form.matchAll(/<option value="(\d+)">/g)].map((match) => match[1])).toEqual(['4']);
});

test('matches can be counted before saving', async () => {
  const count = (fields: Record<string, string> = {}, site = 'shop') =>
    admin.post(`/wp-admin/goals/${site}/add`, thanks({ action: 'count', name: '', ...fields }));
  const { status, text } = await count();
  expect(status).toBe(200);
  expect(text).toContain(
    'role="status">Matches 3 page views in 2 visits during the 30 days up to 2026-02-02, which makes 2 conversions.',
  );
  expect(text).toContain('value="thanks"');
  expect((await count({ page_url: HOSTILE })).text).toContain('Matches 1 page view in 1 visit during');
  expect((await count({ page_url: 'zzz' })).text).toContain(
    'role="status" class="warning">No matches yet in the 30 days up to',
  );
  expect((await count({}, 'blog')).text).toContain('role="status">The site has no page views yet');
  const faulty = await count({ page_url: '', page_match: 'exact' });
  expect(faulty.status).toBe(400);
  expect(faulty.text).toContain(
    'role="status">Not counted yet: URL, path, or part of it must not be empty.<',
  );
  const json = await count({ type: 'gtype_event', event_params: '{' });
  expect(json.text).toContain('role="status">Not counted yet: Required parameters must be a JSON object');
  expect(await goalsOf('shop')).toHaveLength(1);
});

test('analysts cannot open the page or count; unknown sites and goals are not found', async () => {
  expect((await analyst.get('/wp-admin/goals/shop')).status).toBe(403);
  expect((await analyst.post('/wp-admin/goals/shop/add', thanks({ action: 'count' }))).status).toBe(403);
  for (const path of ['nowhere', 'shop/5', 'shop/2/copy', 'shop/2/remove/now', 'shop/add/more'])
    expect([path, (await admin.get(`/wp-admin/goals/${path}`)).status]).toEqual([path, 404]);
});
