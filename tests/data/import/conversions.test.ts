// A conversion is the first view of a session that triggers a goal, regardless of the order of files, even after a goal changes.
import { importRows } from '../../../extension/data/import/import-rows';
import type { ImportLimits } from '../../../extension/data/import/limits';
import { FIRST_GENERATED_ID } from '../../../extension/data/rows/generated-ids';
import { LOCKS } from '../../../extension/data/storage/advisory-locks';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { SitesError } from '../../../extension/data/storage/sites/site-file';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';
import { manifest, TINY } from './import-setup';

const database = useTestDatabase();

const AT = 1_770_000_000;
const ORIGIN = 'https://example.com';

interface GoalText {
  readonly type: string;
  readonly condition: unknown;
}

let sites = 0;

async function siteWith(...goals: readonly GoalText[]): Promise<string> {
  sites += 1;
  const site = `goals-${sites}`;
  await setGoals(site, 'example.com', ...goals);
  return site;
}

const setGoals = (site: string, domain: string, ...goals: readonly GoalText[]) =>
  applySites(database.write, {
    sites: [
      {
        tracking_id: site,
        domain,
        name: site,
        timezone: 'UTC',
        goals: goals.map((goal, index) => ({ id: index + 1, name: `Goal ${index + 1}`, ...goal })),
      },
    ],
  });

const load = (material: string, site: string, rows: readonly object[], limits?: ImportLimits) =>
  importRows(database.write, manifest, {
    material,
    site,
    rows,
    ...(limits === undefined ? {} : { limits }),
  });

const view = (pv_id: number, session_id: number, path: string, more: object = {}) => ({
  pv_id,
  session_id,
  url: ORIGIN + path,
  access_time: AT + pv_id,
  ...more,
});
const click = (pv_id: number, selector: string) => ({ pv_id, event_sec: 1, selector });
const event = (pv_id: number, event_name: string, params: object = {}) => ({
  pv_id,
  access_time: AT + 10_000,
  event_name,
  params,
});

/** Each conversion as `goal: session pv_id`. */
async function conversions(site: string): Promise<readonly string[]> {
  const answer: { rows: { goal: number; session: number; pv: number }[] } = await database.write.raw(
    `SELECT c.goal_no AS goal, c.session_id::float8 AS session, c.pv_id::float8 AS pv
       FROM analytics.conversion c JOIN analytics.site s USING (site_id)
       JOIN analytics.page_view v ON v.site_id = c.site_id AND v.pv_id = c.pv_id AND v.at = c.at
                                 AND v.session_id = c.session_id
      WHERE s.tracking_id = ? ORDER BY c.goal_no, c.session_id`,
    [site],
  );
  return answer.rows.map((row) => `${row.goal}: ${row.session} ${row.pv}`);
}

// conformance: goals.gtype-page, goals.url-match-click, goals.exact-ignores-slash
describe('what triggers a goal', () => {
  const paths = ['/', '/thanks', '/thanks/', '/thanks/?order=1', '/a/thanks/1', '/Thanks/', '/x%_\\'];
  const reaches = async (goal: GoalText, urls: readonly string[]): Promise<readonly string[]> => {
    const site = await siteWith(goal);
    const views = urls.map((url, index) => view(index + 1, index + 1, url));
    await load('allpv', site, views);
    return (await conversions(site)).map((one) => urls[Number(one.split(' ')[1]) - 1] ?? '');
  };
  const page = (path: string, match: string): GoalText => ({
    type: 'gtype_page',
    condition: { url: match === 'regex' ? path : ORIGIN + path, match },
  });

  test.each([
    [page('/thanks', 'exact'), ['/thanks', '/thanks/']],
    [page('/thanks/', 'exact'), ['/thanks', '/thanks/']],
    [page('', 'exact'), ['/']],
    [page('/thanks', 'prefix'), ['/thanks', '/thanks/', '/thanks/?order=1']],
    [page('/thanks/', 'contains'), ['/thanks/', '/thanks/?order=1']],
    [page('/x%_\\', 'prefix'), ['/x%_\\']],
    [page('/(a/)?thanks/\\d?$', 'regex'), ['/thanks/', '/a/thanks/1']],
    [page('order=\\d\\b', 'regex'), ['/thanks/?order=1']],
    [page('^https://example\\.com/[^/]*$', 'regex'), ['/', '/thanks', '/x%_\\']],
    [{ type: 'url_match', condition: 'thanks/' }, ['/thanks/', '/thanks/?order=1', '/a/thanks/1']],
    [{ type: 'url_match', condition: '%' }, ['/x%_\\']],
  ])('%j', async (goal, expected) => {
    expect(await reaches(goal, paths)).toEqual(expected);
  });

  test.each([
    [{ url: '/thanks', match: 'exact' }, [1, 2, 3]],
    [{ url: '/thanks/', match: 'prefix' }, [2, 3, 5]],
    [{ url: '/', match: 'exact' }, [6]],
  ])("a path without a domain applies to the site's domain: %j", async (condition, expected) => {
    const site = await siteWith({ type: 'gtype_page', condition });
    const urls = [
      'https://example.com/thanks',
      'http://example.com/thanks/',
      'https://www.example.com/thanks/',
      'https://other.example/thanks',
      'https://example.com/thanks/?order=1',
      'https://example.com/',
    ];
    await load(
      'allpv',
      site,
      urls.map((url, index) => ({ ...view(index + 1, index + 1, ''), url })),
    );
    expect(await conversions(site)).toEqual(expected.map((one) => `1: ${one} ${one}`));
  });

  test.each(['münchen.example', 'WWW.München.example', 'xn--mnchen-3ya.example'])(
    'a path, and a URL with either spelling of the domain, on the site %s',
    async (domain) => {
      const goal = (url: string, match: string) => ({ type: 'gtype_page', condition: { url, match } });
      const site = await siteWith();
      const origin = 'https://xn--mnchen-3ya.example';
      await setGoals(
        ...[site, domain, goal('/danke', 'exact'), goal('/dan', 'prefix')],
        ...['https://münchen.example/danke', `${origin}/danke`].map((url) => goal(url, 'exact')),
      );
      await load('allpv', site, [
        { ...view(1, 1, ''), url: `${origin}/danke` },
        { ...view(2, 2, ''), url: '/danke/' },
        { ...view(3, 3, ''), url: 'https://www.münchen.example/danke' },
        { ...view(4, 4, ''), url: 'https://other.example/danke' },
      ]);
      const byPath = ['1: 1 1', '1: 2 2', '1: 3 3', '2: 1 1', '2: 2 2', '2: 3 3'];
      expect(await conversions(site)).toEqual([...byPath, '3: 1 1', '4: 1 1']);
    },
  );

  test('a click on a page that is specified by its path, before and after the domain changes', async () => {
    const condition = { selector: 'button.buy', page: '/cart' };
    const goals = [{ type: 'gtype_click', condition }];
    const site = await siteWith(...goals);
    await load('allpv', site, [
      view(1, 1, '/cart'),
      view(2, 2, '/'),
      { ...view(3, 3, ''), url: 'https://new.example/cart/' },
    ]);
    await load('click_event', site, [click(1, 'button.buy'), click(2, 'button.buy'), click(3, 'button.buy')]);
    expect(await conversions(site)).toEqual(['1: 1 1']);
    await setGoals(site, 'WWW.New.example', ...goals);
    expect(await conversions(site)).toEqual(['1: 3 3']);
  });

  test('after the domain changes, only conversions that depend on it are computed again', async () => {
    const goals = ['exact', 'prefix', 'contains'].map((match) => ({
      type: 'gtype_page',
      condition: { url: '/thanks', match },
    }));
    const site = await siteWith(...goals);
    await load('allpv', site, [view(1, 1, '/thanks')]);
    const stored = async () => {
      const { rows } = await database.write.raw(
        'SELECT goal_no, c.xmin FROM analytics.conversion c JOIN analytics.site USING (site_id) WHERE tracking_id = ? ORDER BY 1',
        [site],
      );
      return rows;
    };
    const before = await stored();
    expect(before).toHaveLength(goals.length);
    await setGoals(site, 'WWW.Example.com', ...goals);
    expect(await stored()).toEqual(before);
    await setGoals(site, 'other.example', ...goals);
    expect(await stored()).toEqual([before[2]]);
  });

  test("\\w in a pattern means ASCII, regardless of the database's locale", async () => {
    const urls = ['/éz', '/z', '/az'];
    expect(await reaches(page('\\bz$', 'regex'), urls)).toEqual(['/éz', '/z']);
    expect(await reaches(page('/\\w+$', 'regex'), urls)).toEqual(['/z', '/az']);
  });

  // conformance: goals.url-match-click
  test('scroll depth, written as a number or as text', async () => {
    const site = await siteWith(
      { type: 'scroll_depth', condition: 90 },
      { type: 'scroll_depth', condition: '50' },
    );
    await load('allpv', site, [
      view(1, 1, '/', { depth_position: 49 }),
      view(2, 1, '/', { depth_position: 50 }),
      view(3, 2, '/', { depth_position: 90 }),
      view(4, 3, '/'),
    ]);
    expect(await conversions(site)).toEqual(['1: 2 3', '2: 1 2', '2: 2 3']);
    const stored = await database.write.raw(
      `SELECT condition FROM analytics.goal JOIN analytics.site USING (site_id) WHERE tracking_id = ? ORDER BY goal_no`,
      [site],
    );
    expect(stored.rows).toEqual([{ condition: '90' }, { condition: '50' }]);
  });

  // conformance: goals.gtype-click, goals.url-match-click
  test('a click on any page, or on one page', async () => {
    const site = await siteWith(
      { type: 'click', condition: '#buy' },
      { type: 'gtype_click', condition: { selector: '#buy' } },
      { type: 'gtype_click', condition: { selector: '#buy', page: `${ORIGIN}/shop/` } },
      { type: 'click', condition: "#buy' OR '1'='1" },
    );
    await load('allpv', site, [view(1, 1, '/'), view(2, 1, '/shop'), view(3, 2, '/shop/'), view(4, 3, '/')]);
    await load('click_event', site, [
      click(2, '#buy'),
      click(1, '#buy'),
      click(3, '#buy'),
      click(4, '#buy2'),
    ]);
    expect(await conversions(site)).toEqual(['1: 1 1', '1: 2 3', '2: 1 1', '2: 2 3', '3: 1 2', '3: 2 3']);
  });

  // conformance: goals.gtype-event
  test('an event, with the parameters that the goal requires', async () => {
    const goal = (more: object): GoalText => ({ type: 'gtype_event', condition: { event: 'buy', ...more } });
    const site = await siteWith(
      goal({}),
      goal({ value: 1 }),
      goal({ value: '1' }),
      goal({ plan: 'pro', value: 1 }),
      goal({ ok: true }),
      goal({ list: [1, { a: null }] }),
      goal({ none: null }),
      goal({ "a' ? b": 'x' }),
    );
    await load(
      'allpv',
      site,
      [1, 2, 3, 4, 5, 6, 7].map((id) => view(id, id, '/')),
    );
    await load('datalayer_event', site, [
      event(1, 'buy', { value: 1.0 }),
      event(2, 'buy', { value: '1' }),
      event(3, 'buy', { value: 1, plan: 'pro' }),
      event(4, 'buy', { ok: true, list: [1, { a: null }] }),
      event(5, 'buy', { none: null }),
      event(6, 'buy', { "a' ? b": 'x' }),
      event(7, 'bought', { value: 1 }),
    ]);
    expect(await conversions(site)).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((id) => `1: ${id} ${id}`),
      '2: 1 1',
      '2: 3 3',
      '3: 2 2',
      '4: 3 3',
      '5: 4 4',
      '6: 4 4',
      '7: 5 5',
      '8: 6 6',
    ]);
  });
});

describe('conversions are updated when the data changes', () => {
  const thanks: GoalText = { type: 'url_match', condition: '/thanks' };
  const bought: GoalText = { type: 'click', condition: '#buy' };

  test('an earlier view that is imported later becomes the conversion', async () => {
    const site = await siteWith(thanks);
    await load('allpv', site, [view(5, 1, '/thanks'), view(6, 1, '/thanks')]);
    expect(await conversions(site)).toEqual(['1: 1 5']);
    await load('allpv', site, [view(3, 1, '/'), view(4, 1, '/thanks'), view(9, 2, '/')]);
    expect(await conversions(site)).toEqual(['1: 1 4']);
    await load('click_event', site, [click(3, '#a')]);
    expect(await conversions(site)).toEqual(['1: 1 4']);
  });

  test('of two views in the same second, the one with the smaller id is the conversion', async () => {
    const site = await siteWith(thanks);
    const at = { access_time: AT };
    await load('allpv', site, [view(8, 1, '/thanks', at), view(7, 1, '/thanks', at)]);
    expect(await conversions(site)).toEqual(['1: 1 7']);
  });

  test('of two log lines in the same second, the earlier one is the conversion, even if it is imported later', async () => {
    const site = await siteWith(thanks);
    const line = (path: string) => ({ url: ORIGIN + path, access_time: AT, reader_id: 1, session_id: 1 });
    await load('allpv', site, [line('/thanks?b')]);
    expect(await conversions(site)).toEqual([`1: 1 ${FIRST_GENERATED_ID}`]);
    await load('allpv', site, [line('/thanks?a'), line('/thanks?b')]);
    expect(await conversions(site)).toEqual([`1: 1 ${FIRST_GENERATED_ID + 1}`]);
  });

  test('an earlier view that gets a click becomes the conversion', async () => {
    const site = await siteWith(bought);
    await load('allpv', site, [view(1, 1, '/'), view(2, 1, '/')]);
    await load('click_event', site, [click(2, '#buy')]);
    expect(await conversions(site)).toEqual(['1: 1 2']);
    await load('click_event', site, [click(1, '#buy')]);
    expect(await conversions(site)).toEqual(['1: 1 1']);
  });

  test('merged sessions have one conversion for each goal', async () => {
    const site = await siteWith(thanks, bought);
    const of = (pv_id: number, after: number, path: string) => ({
      pv_id,
      reader_id: 1,
      url: ORIGIN + path,
      access_time: AT + after,
    });
    await load('allpv', site, [of(1, 0, '/thanks'), of(2, 3000, '/thanks')]);
    await load('click_event', site, [click(2, '#buy'), click(1, '#buy')]);
    expect((await conversions(site)).length).toBe(4);
    await load('allpv', site, [of(3, 1500, '/')]);
    const joined = await conversions(site);
    expect(joined.map((one) => one.replace(/ \d+ /, ' '))).toEqual(['1: 1', '2: 1']);
  });

  test('a failed import changes no conversion', async () => {
    const site = await siteWith(thanks);
    await load('allpv', site, [view(5, 1, '/thanks')]);
    await expect(load('allpv', site, [view(4, 1, '/thanks'), { url: '' }])).rejects.toThrow('Line 2');
    expect(await conversions(site)).toEqual(['1: 1 5']);
  });
});

describe('conversions are updated when the goals change', () => {
  test('a goal is added, changed and removed', async () => {
    const site = await siteWith();
    await load('allpv', site, [view(1, 1, '/a'), view(2, 1, '/b'), view(3, 2, '/b')]);
    await load('click_event', site, [click(3, '#buy')]);
    const a: GoalText = { type: 'url_match', condition: '/a' };
    await setGoals(site, 'example.com', a);
    expect(await conversions(site)).toEqual(['1: 1 1']);
    await setGoals(site, 'example.com', { ...a, condition: '/b' }, { type: 'click', condition: '#buy' });
    expect(await conversions(site)).toEqual(['1: 1 2', '1: 2 3', '2: 2 3']);
    await setGoals(site, 'example.com', a);
    expect(await conversions(site)).toEqual(['1: 1 1']);
    await setGoals(site, 'example.com');
    expect(await conversions(site)).toEqual([]);
  });

  test('a change waits until a running import into the site ends', async () => {
    const site = await siteWith();
    let applied = false;
    let change: Promise<unknown> = Promise.resolve();
    await database.write.transaction(async (transaction) => {
      await transaction.raw(
        'SELECT pg_advisory_xact_lock(?, site_id) FROM analytics.site WHERE tracking_id = ?',
        [LOCKS.site, site],
      );
      change = setGoals(site, 'example.com', { type: 'click', condition: '#buy' }).then(() => {
        applied = true;
      });
      const waiting = () =>
        transaction.raw(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCKS.site} AND NOT granted`,
        );
      await until(async () => (await waiting()).rows.length > 0);
      expect(applied).toBe(false);
    });
    await change;
    expect(applied).toBe(true);
  });

  test.each([
    ['(', 'must be a regular expression'],
    ['(a)\\1', 'must not use back references'],
    ['(?<x>a)', 'must not use named groups'],
    ['(?:a', 'must be a regular expression'],
    ['\\p{L}', 'must not use character properties'],
    ['[a\\P{L}]', 'must not use character properties'],
    ['[]', 'must not contain empty brackets'],
    ['a[^]b', 'must not contain empty brackets'],
    ['[\\ud83d\\ude00]', 'must not contain lone surrogates'],
    ['(a{1,250}){1,250}', 'must be a regular expression that PostgreSQL accepts'],
  ])('the pattern %s is rejected with its position', async (url, words) => {
    const work = siteWith(
      { type: 'click', condition: '#a' },
      { type: 'gtype_page', condition: { url, match: 'regex' } },
    );
    await expect(work).rejects.toThrow(SitesError);
    await expect(work).rejects.toThrow(`sites[0].goals[1].condition.url: ${words}`);
  });

  test('a pattern that would hang a backtracking engine is fast', async () => {
    const site = await siteWith({ type: 'gtype_page', condition: { url: '(a+)+$', match: 'regex' } });
    await load('allpv', site, [view(1, 1, `/${'a'.repeat(5000)}!`), view(2, 2, '/aa')]);
    expect(await conversions(site)).toEqual(['1: 2 2']);
  });
});

test('any file order and batch size produces the same conversions as a plain loop', async () => {
  let state = 7;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % n;
  };
  for (let round = 0; round < 6; round += 1) {
    const site = await siteWith(
      { type: 'url_match', condition: '/1' },
      { type: 'click', condition: '#1' },
      { type: 'gtype_event', condition: { event: 'e', n: 1 } },
    );
    const views = Array.from({ length: 60 }, (_, i) =>
      view(i + 1, below(15) + 1, `/${below(5)}`, { access_time: AT + below(40) }),
    );
    const clicks = Array.from({ length: 40 }, () => click(below(60) + 1, `#${below(4)}`));
    const events = Array.from({ length: 40 }, () => event(below(60) + 1, 'e', { n: below(3) }));
    const shuffled = [...views].sort(() => below(3) - 1);
    const cut = below(60);
    const early = shuffled.slice(0, cut);
    const known = new Set(early.map((one) => one.pv_id));
    const on = (rows: readonly { pv_id: number }[], isKnown: boolean) =>
      rows.filter((one) => known.has(one.pv_id) === isKnown);
    await load('allpv', site, early, TINY);
    await load('click_event', site, on(clicks, true), TINY);
    await load('datalayer_event', site, on(events, true), TINY);
    await load('allpv', site, shuffled.slice(cut), TINY);
    await load('click_event', site, on(clicks, false), TINY);
    await load('datalayer_event', site, on(events, false), TINY);
    const triggers: readonly ((pv: (typeof views)[number]) => boolean)[] = [
      (pv) => pv.url.endsWith('/1'),
      (pv) => clicks.some((one) => one.pv_id === pv.pv_id && one.selector === '#1'),
      (pv) => events.some((one) => one.pv_id === pv.pv_id && Object.values(one.params)[0] === 1),
    ];
    const inOrder = [...views].sort((a, b) => a.access_time - b.access_time || a.pv_id - b.pv_id);
    const expected = triggers.flatMap((triggered, goal) =>
      Array.from({ length: 15 }, (_, i) => i + 1).flatMap((session) => {
        const first = inOrder.find((pv) => pv.session_id === session && triggered(pv));
        return first === undefined ? [] : [`${goal + 1}: ${session} ${first.pv_id}`];
      }),
    );
    expect(await conversions(site)).toEqual(expected);
  }
});
