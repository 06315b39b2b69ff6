// Importing clicks and events: their session, page and time come from their page view, and a row without a page view waits for
// it.

import { Readable } from 'node:stream';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile, importTogether } from '../../../extension/data/import/import-together';
import type { RejectedRow } from '../../../extension/data/import/rejected-rows';
import { LOCKS } from '../../../extension/data/storage/advisory-locks';
import { useTestDatabase } from '../../support/use-database';
import { dataVersion, manifest, newSite, TINY } from './import-setup';

const database = useTestDatabase();

const AT = 1_770_000_000;
const LOG_LINE = '203.0.113.7 - - [02/Mar/2026:09:15:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "Mozilla/5.0"';

const load = (material: string, site: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material, site, rows, ...more });

/** A site with views 1 to `views`, each in a separate session. */
async function siteWithViews(views: number): Promise<string> {
  const site = await newSite(database.write);
  const rows = Array.from({ length: views }, (_, i) => ({
    pv_id: i + 1,
    session_id: i + 101,
    url: `https://example.com/${i + 1}`,
    access_time: AT + i * 100,
  }));
  await load('allpv', site, rows);
  return site;
}

async function clicks(site: string): Promise<readonly Record<string, unknown>[]> {
  const answer = await database.write.raw(
    `SELECT c.pv_id::int, c.session_id::float8, p.url, extract(epoch FROM c.at)::int AS at, c.event_sec, d.selector,
            c.element_text, c.element_id, c.element_class, c.element_data, c.to_url, c.is_external, c.action_id,
            c.page_x_pct, c.page_y_pct, c.click_id::int
       FROM analytics.click c JOIN analytics.site s USING (site_id) JOIN analytics.page p USING (site_id, page_id)
       JOIN analytics.selector d USING (site_id, selector_id) WHERE s.tracking_id = ? ORDER BY c.click_id`,
    [site],
  );
  return answer.rows;
}

async function events(site: string): Promise<readonly Record<string, unknown>[]> {
  const answer = await database.write.raw(
    `SELECT e.pv_id::int, e.session_id::int, extract(epoch FROM e.at)::int AS at, n.event_name, e.params
       FROM analytics.event e JOIN analytics.site s USING (site_id)
       JOIN analytics.event_name n USING (site_id, event_name_id) WHERE s.tracking_id = ? ORDER BY e.event_id`,
    [site],
  );
  return answer.rows;
}

async function observed(site: string): Promise<Readonly<Record<string, unknown>>> {
  const answer: { rows: { event_name: string; observed: unknown }[] } = await database.write.raw(
    `SELECT event_name, observed FROM analytics.event_name JOIN analytics.site USING (site_id) WHERE tracking_id = ?`,
    [site],
  );
  return Object.fromEntries(answer.rows.map((row) => [row.event_name, row.observed]));
}

const NASTY = 'quote " apostrophe \' backslash \\ tab \t line \n null \\N brace {,} emoji 😀 語';

describe('clicks', () => {
  test('every field is stored, and the page view supplies the rest', async () => {
    const site = await siteWithViews(2);
    await load('click_event', site, [
      {
        pv_id: 2,
        event_sec: 7,
        selector: NASTY,
        element_text: NASTY,
        element_id: '',
        element_class: 'a b',
        element_data: '{"k":1}',
        to_url: `https://example.com/?q=${NASTY}`,
        is_external: true,
        action_id: 'tel',
        page_x_pct: 12.25,
        page_y_pct: '100',
      },
      { pv_id: 1, event_sec: 0, selector: '#a' },
    ]);
    expect(await clicks(site)).toEqual([
      {
        pv_id: 2,
        session_id: 102,
        url: 'https://example.com/2',
        at: AT + 107,
        event_sec: 7,
        selector: NASTY,
        element_text: NASTY,
        element_id: '',
        element_class: 'a b',
        element_data: '{"k":1}',
        to_url: `https://example.com/?q=${NASTY}`,
        is_external: true,
        action_id: 3,
        page_x_pct: 12.25,
        page_y_pct: 100,
        click_id: 1,
      },
      expect.objectContaining({ pv_id: 1, at: AT, is_external: false, action_id: 1, page_x_pct: null }),
    ]);
  });

  test('identical clicks in the same second are all stored; importing the file again adds none, and a file with more columns updates them', async () => {
    const site = await siteWithViews(3);
    const click = { pv_id: 1, event_sec: 3, selector: '#buy' };
    const rows = [click, { ...click, page_x_pct: 7 }, { ...click, pv_id: 2 }, click];
    expect(await load('click_event', site, rows)).toMatchObject({ read: 4, added: 4, unchanged: 0 });
    const before = await dataVersion(database.write, site);
    expect(await load('click_event', site, rows)).toMatchObject({ added: 0, unchanged: 4 });
    expect(await dataVersion(database.write, site)).toBe(before);
    expect(await load('click_event', site, [...rows, click], { limits: TINY })).toMatchObject({
      added: 1,
      unchanged: 4,
    });
    const named = { ...click, element_text: 'Buy' };
    expect(await load('click_event', site, [click, named], { limits: TINY })).toMatchObject({ updated: 1 });
    expect((await clicks(site)).map((one) => one.element_text)).toEqual([null, null, null, 'Buy', null]);
  });

  test('clicks without pv_id belong to the latest earlier view of their visit, or of their visitor within half an hour', async () => {
    const site = await newSite(database.write);
    const view = (pv: number, at: number, more: object) => ({
      pv_id: pv,
      url: `https://example.com/${pv}`,
      access_time: AT + at,
      ...more,
    });
    const click = (at: number, more: object) => ({ access_time: AT + at, selector: '#a', ...more });
    await load('allpv', site, [
      view(1, 0, { session_id: 's', reader_id: 'r' }),
      view(3, 100, { session_id: 's', reader_id: 'r' }),
    ]);
    const rows = [
      click(50, { session_id: 's' }),
      click(150, { session_id: 's' }),
      click(160, { reader_id: 'r' }),
    ];
    expect(await load('click_event', site, rows)).toMatchObject({ added: 3 });
    expect((await clicks(site)).map((one) => [one.pv_id, one.event_sec])).toEqual([
      [1, 50],
      [3, 50],
      [3, 60],
    ]);
    const events = [{ access_time: AT + 99, event_name: 'e', reader_id: 'r' }];
    expect(await load('datalayer_event', site, events)).toMatchObject({ added: 1 });
    // This view arrives later, but is the latest view before some of the clicks.
    await load('allpv', site, [view(2, 40, { session_id: 's', reader_id: 'r' })]);
    expect((await clicks(site)).map((one) => [one.pv_id, one.event_sec])).toEqual([
      [2, 10],
      [3, 50],
      [3, 60],
    ]);
    expect(await load('click_event', site, rows)).toMatchObject({ added: 0, unchanged: 3 });
    // If a view's time changes, the times of its clicks do not.
    await load('allpv', site, [view(2, 45, { session_id: 's', reader_id: 'r' }), view(3, 155, {})]);
    const times = async () => (await clicks(site)).map((one) => [one.pv_id, one.event_sec, one.at]);
    expect(await times()).toEqual([
      [2, 5, AT + 50],
      [2, 105, AT + 150],
      [3, 5, AT + 160],
    ]);
    await load('allpv', site, [view(2, 40, {}), view(3, 100, {})]);
    expect(await load('click_event', site, rows)).toMatchObject({ added: 0, unchanged: 3 });
    // Every click must still have a view.
    await load('allpv', site, [view(1, 51, {})]);
    const moved = [view(3, 101, {}), view(2, 52, {})];
    await expect(load('allpv', site, moved)).rejects.toThrow(
      'Line 2: clicks (1) and events (0) without pv_id were assigned to page view 2 by time, and would have no page view if page view 2 had this time, visitor and visit; undo their import or remove them, import this file, then import them again',
    );
    expect((await clicks(site)).map((one) => [one.pv_id, one.event_sec])).toEqual([
      [2, 10],
      [3, 50],
      [3, 60],
    ]);
    const lost = [click(-1, { session_id: 's' }), click(1901, { reader_id: 'r' })];
    expect(await load('click_event', site, lost)).toMatchObject({ added: 0, waiting: 2 });
    for (const [wrong, reason] of [
      [click(1, {}), 'is required, unless session_id or reader_id identifies the visit or the visitor'],
      [{ selector: '#a', reader_id: 'r', event_sec: 3 }, 'access_time: is required in a row without pv_id'],
    ] as const)
      await expect(load('click_event', site, [wrong])).rejects.toThrow(reason);
  });

  test('files are not read again if an invalid line in one of them is detected only at the end', async () => {
    const site = await newSite(database.write);
    const view = { pv_id: 1, reader_id: 'r', url: 'https://example.com/1', access_time: AT };
    await load('allpv', site, [view]);
    await load('click_event', site, [{ access_time: AT + 10, reader_id: 'r', selector: '#a' }]);
    const files = [
      { ...view, access_time: AT + 20 },
      { ...view, pv_id: 2, access_time: AT + 9000 },
    ];
    let opened = 0;
    const moved = importTogether(
      {
        write: database.write,
        manifest,
        material: 'allpv',
        site,
        source: 'three files',
        onError: 'stop',
        clock: () => new Date(),
      },
      // The third file needs another transaction.
      [...files.map((row) => JSON.stringify(row)), LOG_LINE].map((text) => ({
        async open() {
          opened += 1;
          return Readable.from([`${text}\n`]);
        },
      })),
    );
    await expect(moved).rejects.toThrow(
      /^Line 1: clicks \(1\) and events \(0\) without pv_id were assigned to page view 1 /,
    );
    // Importing the files before the third one would fail again.
    expect(opened).toBe(3);
  });

  test('a click with the value 0 differs from a click without a value', async () => {
    const site = await siteWithViews(1);
    const click = { pv_id: 1, event_sec: 3, selector: '#buy' };
    await load('click_event', site, [click]);
    const zero = { ...click, page_x_pct: 0 };
    expect(await load('click_event', site, [zero])).toMatchObject({ added: 1, unchanged: 0 });
    expect(await load('click_event', site, [zero, click])).toMatchObject({ added: 0, unchanged: 2 });
    expect((await clicks(site)).map((one) => one.page_x_pct)).toEqual([null, 0]);
  });

  test('all rows are stored if known and new rows alternate in tiny batches', async () => {
    const site = await siteWithViews(40);
    const rows = Array.from({ length: 200 }, (_, i) => ({
      pv_id: (i % 40) + 1,
      event_sec: i % 7,
      selector: `#s${i % 13}`,
      element_text: `text ${i % 3}`,
    }));
    await load(
      'click_event',
      site,
      rows.filter((_, i) => i % 5 === 0),
      { limits: TINY },
    );
    await load('click_event', site, rows, { limits: { ...TINY, rowHashes: 1000 } });
    const stored = await clicks(site);
    const shown = (one: Record<string, unknown>) =>
      [one.pv_id, one.event_sec, one.selector, one.element_text].join();
    expect(stored.map(shown).sort()).toEqual(rows.map(shown).sort());
  });

  test.each([TINY, undefined])(
    'with skip, the valid rows are imported, regardless of the batch size',
    async (limits) => {
      const site = await siteWithViews(20);
      const rows = Array.from({ length: 40 }, (_, i) => ({
        pv_id: (i % 20) + 1,
        event_sec: 1,
        selector: '#a',
        ...(i >= 20 && { session_id: 5 }),
      }));
      const rejected: RejectedRow[] = [];
      const report = await load('click_event', site, [...rows, { pv_id: 1 }], {
        onError: 'skip',
        onRejected: (row) => {
          rejected.push(row);
        },
        ...(limits === undefined ? {} : { limits }),
      });
      expect(report).toMatchObject({ read: 41, added: 20, unchanged: 0, rejected: 21 });
      expect(rejected.map((row) => row.line).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 21 }, (_, i) => i + 21),
      );
      expect(rejected.find((row) => row.line === 21)).toMatchObject({
        column: 'session_id',
        value: 5,
        json: JSON.stringify(rows[20]),
      });
    },
  );

  test('a rejected CSV row includes the names from its header', async () => {
    const site = await siteWithViews(1);
    const rejected: RejectedRow[] = [];
    const text = 'pv_id,session_id,event_sec,selector\n1,,1,#a\n1,9,1,"#b,c"\n';
    const report = await loadText(site, 'click_event', text, 'csv', {
      onError: 'skip',
      onRejected: (row) => {
        rejected.push(row);
      },
    });
    expect(report).toMatchObject({ read: 2, added: 1, rejected: 1 });
    expect(rejected).toEqual([
      {
        line: 3,
        column: 'session_id',
        value: 9,
        reason: 'is not the visit of page view 1',
        row: { pv_id: '1', session_id: '9', event_sec: '1', selector: '#b,c' },
      },
    ]);
  });

  test("clicks cannot belong to another site's page view", async () => {
    await siteWithViews(3);
    const site = await siteWithViews(1);
    const click = { pv_id: 2, event_sec: 1, selector: '#a' };
    expect(await load('click_event', site, [click])).toMatchObject({ added: 0, waiting: 1 });
  });

  test.each([
    [{ session_id: 5 }, 'column session_id, value 5: is not the visit of page view 1'],
    [{ event_sec: -1 }, 'must be at least 0'],
    [{ access_time: '2099-01-01T00:00:00Z' }, 'is too long after the start of page view 1'],
    [{ selector: '' }, 'column selector, value "": is required'],
    [{ action_id: 'jump' }, 'must be one of click, submit, tel, mail, or its number'],
    [{ action_id: 5 }, 'must be one of click, submit, tel, mail, or its number'],
    [{ page_x_pct: 100.5 }, 'must be at most 100'],
    [{ element_text: 'a\0' }, 'contains the character U+0000'],
  ])('%j is rejected', async (more, words) => {
    const site = await siteWithViews(1);
    const row = { pv_id: 1, event_sec: 1, selector: '#a', ...more };
    await expect(load('click_event', site, [row])).rejects.toThrow(words);
  });

  test('clicks and events move with their page views when sessions of two visitors are merged', async () => {
    const site = await newSite(database.write);
    const view = (pv_id: number, minutes: number) => ({
      pv_id,
      reader_id: 1 + (pv_id % 2),
      url: 'https://example.com/',
      access_time: AT + minutes * 60,
    });
    const clicked = [3, 4].map((pv_id) => ({ pv_id, event_sec: 1, selector: '#a' }));
    const played = [3, 4].map((pv_id) => ({ pv_id, access_time: AT + 3001, event_name: 'play' }));
    await load('allpv', site, [view(1, 0), view(2, 0), view(3, 50), view(4, 50)]);
    await load('click_event', site, clicked);
    await load('datalayer_event', site, played);
    await load('allpv', site, [view(5, 25), view(6, 25)]);
    const answer = await database.write.raw(
      `SELECT DISTINCT v.reader_id, x.session_id FROM analytics.site s JOIN analytics.page_view v USING (site_id), LATERAL (
         SELECT v.session_id UNION ALL
         SELECT session_id FROM analytics.click WHERE site_id = s.site_id AND pv_id = v.pv_id UNION ALL
         SELECT session_id FROM analytics.event WHERE site_id = s.site_id AND pv_id = v.pv_id) x WHERE tracking_id = ?`,
      [site],
    );
    expect(answer.rows).toHaveLength(2);
  });
});

describe('events', () => {
  test('time, name and parameters are stored', async () => {
    const site = await siteWithViews(2);
    const params = { b: [1, { z: null, a: NASTY }], a: 1.5, ['__proto__']: 7, '': true };
    await load('datalayer_event', site, [
      { pv_id: 2, access_time: AT + 130, event_name: 'purchase', params },
      { pv_id: 1, access_time: '2026-02-02T02:40:09Z', event_name: 'gtm.js' },
    ]);
    expect(await events(site)).toEqual([
      { pv_id: 2, session_id: 102, at: AT + 130, event_name: 'purchase', params },
      { pv_id: 1, session_id: 101, at: 1_770_000_009, event_name: 'gtm.js', params: {} },
    ]);
  });

  test('the order of parameters does not matter, and an event without parameters may omit the key', async () => {
    const site = await siteWithViews(1);
    const event = { pv_id: 1, access_time: AT + 1, event_name: 'e' };
    await load('datalayer_event', site, [
      { ...event, params: { a: 1, b: 'x' } },
      { ...event, event_name: 'f' },
    ]);
    const again = await load('datalayer_event', site, [
      { ...event, params: { b: 'x', a: 1 } },
      { ...event, event_name: 'f', params: {} },
      { ...event, params: { a: 2, b: 'x' } },
    ]);
    expect(again).toMatchObject({ added: 1, unchanged: 2 });
  });

  test.each([
    ['{"a": 1e400}', 'contains the number 1e400, which would be stored as Infinity; write it as text'],
    ['{"a": "\\u0000"}', 'contains the character U+0000'],
    ['{"\\ud800": 1}', 'contains a lone surrogate'],
    ['[1]', 'must be a JSON object'],
    ['"{"', 'is not JSON'],
    ['5', 'must be a JSON object'],
    [`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'is nested too deeply'],
    [JSON.stringify({ a: 'x'.repeat(70_000) }), 'must be at most 65536 characters long'],
  ])('parameters %.20s are rejected', async (params, words) => {
    const site = await siteWithViews(1);
    const text = `{"pv_id":1,"access_time":${AT},"event_name":"e","params":${params}}`;
    await expect(loadText(site, 'datalayer_event', text, 'ndjson')).rejects.toThrow(words);
  });

  test('in CSV, the parameters are JSON text', async () => {
    const site = await siteWithViews(1);
    const text = `pv_id,access_time,event_name,params\n1,${AT},e,"{""a"":1,""b"":""x,y""}"\n1,${AT},f,\n`;
    await loadText(site, 'datalayer_event', text, 'csv');
    expect((await events(site)).map((one) => one.params)).toEqual([{ a: 1, b: 'x,y' }, {}]);
    const wrong = `pv_id,access_time,event_name,params_json\n`;
    await expect(loadText(site, 'datalayer_event', wrong, 'csv')).rejects.toThrow(
      'column params_json: is called params in files',
    );
  });
});

describe('observed parameters', () => {
  const event = (params: object, event_name = 'e') => ({ pv_id: 1, access_time: AT, event_name, params });

  // conformance: goals.number-if-every
  test('a parameter is a number only if all its values are numbers', async () => {
    const site = await siteWithViews(1);
    await load('datalayer_event', site, [
      event({ n: 1, t: '12', mixed: 1, flag: true, list: [1], nothing: null, 'odd:name': 1 }),
      event({ n: 2.5, mixed: 'x', nothing: null }),
      event({}, 'bare'),
    ]);
    expect(await observed(site)).toEqual({
      e: { n: 'number', t: 'string', mixed: 'string', flag: 'string', list: 'string', 'odd:name': 'number' },
      bare: {},
    });
  });

  test('later files add parameters; a parameter that was once a string stays a string', async () => {
    const site = await siteWithViews(1);
    await load('datalayer_event', site, [event({ a: 1, b: 'x', c: null })]);
    await load('datalayer_event', site, [event({ a: 'x', b: 1, c: 3, d: 4 })]);
    await load('datalayer_event', site, [event({ a: 5, c: null })]);
    expect(await observed(site)).toEqual({ e: { a: 'string', b: 'string', c: 'number', d: 'number' } });
  });

  test('a waiting event does not create an event name', async () => {
    const site = await siteWithViews(1);
    const ghost = { ...event({ a: 1 }, 'ghost'), pv_id: 99 };
    await load('datalayer_event', site, [event({ a: 1 }), ghost]);
    expect(await observed(site)).toEqual({ e: { a: 'number' } });
    const before = await dataVersion(database.write, site);
    expect(await load('datalayer_event', site, [ghost])).toMatchObject({ added: 0, unchanged: 1 });
    expect(await observed(site)).toEqual({ e: { a: 'number' } });
    expect(await dataVersion(database.write, site)).toBe(before);
    await load('datalayer_event', site, [{ ...ghost, pv_id: 1 }]);
    expect(await observed(site)).toEqual({ e: { a: 'number' }, ghost: { a: 'number' } });
  });

  test('a failed import leaves no parameters behind', async () => {
    const site = await siteWithViews(1);
    await expect(
      load('datalayer_event', site, [event({ a: 1 }), { ...event({ b: 1 }), session_id: 77 }]),
    ).rejects.toThrow('Line 2');
    expect(await observed(site)).toEqual({});
  });
});

test.each(['click_event', 'datalayer_event', 'gsc'])(
  'only one import per site runs at a time: %s',
  async (material) => {
    const site = await siteWithViews(1);
    await database.write.transaction(async (transaction) => {
      await transaction.raw(
        'SELECT pg_advisory_xact_lock(?, site_id) FROM analytics.site WHERE tracking_id = ?',
        [LOCKS.site, site],
      );
      await expect(load(material, site, [])).rejects.toThrow('Another import into site');
    });
  },
);

test.each(['goal_1', 'goal_N', 'events.purchase', 'summary_allpage', 'gsc_period'])(
  '%s is derived and cannot be imported',
  async (material) => {
    const site = await newSite(database.write);
    await expect(load(material, site, [])).rejects.toThrow(`${material} is computed from other materials`);
  },
);

async function loadText(
  site: string,
  material: string,
  text: string,
  format: 'ndjson' | 'csv',
  more: Partial<ImportOptions> = {},
) {
  return importFile({
    write: database.write,
    manifest,
    material,
    site,
    input: Readable.from([Buffer.from(text)]),
    format,
    source: 'test',
    onError: 'stop',
    clock: () => new Date(AT * 1000),
    ...more,
  });
}
