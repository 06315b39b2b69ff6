// The demo site: the same seed and clock generate the same rows, and the data looks like a shop's.
import { isDeepStrictEqual } from 'node:util';
import { CART_BUTTON, demoActions } from '../../../extension/data/demo/demo-actions';
import { demoMonths, demoSearches } from '../../../extension/data/demo/demo-figures';
import { demoViews } from '../../../extension/data/demo/demo-views';
import { hasDemo, loadDemo } from '../../../extension/data/demo/load-demo';
import { createTestDatabase, type TestDatabase } from '../../support/database';

const now = new Date('2026-11-21T12:34:56.789Z');
const NOW = Math.floor(now.getTime() / 1000);
const views = [...demoViews({ now, views: 20_000, seed: 1 })];

const share = (rows: typeof views, test: (view: (typeof views)[number]) => boolean): number =>
  rows.filter(test).length / rows.length;

test('the same seed and clock generate the same rows; a different seed generates different ones', () => {
  const areSame = (seed: number) => isDeepStrictEqual([...demoViews({ now, views: 20_000, seed })], views);
  expect([areSame(1), areSame(2)]).toEqual([true, false]);
});

test('generates about the requested number of views, in chronological order, within the last 90 days', () => {
  expect(Math.abs(views.length - 20_000)).toBeLessThan(1200);
  expect(views.every((view, index) => view.pv_id === index + 1)).toBe(true);
  expect(views.every((view, index) => view.access_time >= (views[index - 1]?.access_time ?? 0))).toBe(true);
  expect(views[0]?.access_time).toBeGreaterThanOrEqual(NOW - 90 * 86_400);
  expect(views.at(-1)?.access_time).toBeLessThanOrEqual(NOW);
  expect(views.at(-1)?.access_time).toBeGreaterThan(NOW - 7200);
});

test('the site looks like a shop', () => {
  const local = new Intl.DateTimeFormat('en', {
    timeZone: 'Europe/Berlin',
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  const parts = views.map((view) => local.format(view.access_time * 1000));
  const on = (text: string) => parts.filter((part) => part.includes(text)).length;
  expect(on('Sat') / on('Tue')).toBeLessThan(0.8);
  expect(on('20') / on('03')).toBeGreaterThan(8);

  const rage = views.filter((view) => Number(view.irritation_click_count) > 0);
  expect(share(rage, (view) => view.url.includes('travel-mug-08'))).toBeGreaterThan(0.2);
  expect(new Set(views.map((view) => view.country_code)).size).toBe(10);
  expect(new Set(views.map((view) => view.device_type))).toEqual(new Set(['PC', 'tablet', 'SP', null]));
  expect(share(views, (view) => view.utm_campaign !== null)).toBeGreaterThan(0.2);
  expect(new Set(views.map((view) => view.url)).size).toBeGreaterThan(250);
  expect(views.filter((view) => view.url.endsWith('/checkout/thanks/')).length).toBeGreaterThan(50);

  const sizes = new Map<number, number>();
  for (const view of views) sizes.set(view.session_id, (sizes.get(view.session_id) ?? 0) + 1);
  expect(views.length / sizes.size).toBeGreaterThan(2.2);
  const half = NOW - 45 * 86_400;
  expect(share(views, (view) => view.access_time > half)).toBeGreaterThan(0.52);
});

test('clicks and events are the same each time, and never later than now', () => {
  const generate = () => {
    const actions = demoActions(3, NOW);
    for (const view of views) actions.record(view);
    return { clicks: actions.clicks, events: actions.events };
  };
  const { clicks, events } = generate();
  expect(isDeepStrictEqual(generate(), { clicks, events })).toBe(true);
  expect(clicks.length / views.length).toBeGreaterThan(0.1);
  expect(clicks.filter((click) => click.selector === CART_BUTTON).length).toBeGreaterThan(50);
  const at = new Map(views.map((view) => [view.pv_id, view.access_time]));
  expect(clicks.every((click) => (at.get(click.pv_id) ?? NOW) + click.event_sec <= NOW)).toBe(true);
  expect(events.every((event) => event.access_time <= NOW)).toBe(true);
  const orders = events.filter((event) => event.event_name === 'purchase');
  expect(orders).toHaveLength(views.filter((view) => view.url.endsWith('/checkout/thanks/')).length);
});

test('search and GA4 data cover the same days', () => {
  const days = demoSearches(now, 1).map((row) => row.date);
  expect(new Set(days).size).toBe(89);
  expect([days[0], days.at(-1)]).toEqual(['2026-08-23', '2026-11-19']);
  for (const rows of Object.values(demoMonths(now, 1))) {
    expect([...new Set(rows.map((row) => row.date))]).toEqual([
      '2026-08-01',
      '2026-09-01',
      '2026-10-01',
      '2026-11-01',
    ]);
  }
});

describe('loading', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  test('creates the site once, with rows for every material and conversions', async () => {
    const steps: number[] = [];
    expect(await hasDemo(database.write)).toBe(false);
    const options = { now, views: 2000, onProgress: (done: number) => void steps.push(done) };
    const report = await loadDemo(database.write, options);
    expect(report?.added).toBe(report?.read);
    expect(report?.rejected).toBe(0);
    expect(steps[0]).toBe(0);
    expect(steps.at(-1)).toBe(2000);
    expect(await hasDemo(database.write)).toBe(true);
    expect(await loadDemo(database.write, options)).toBeUndefined();
    const sites = await database.write.raw('SELECT tracking_id, is_default, timezone FROM analytics.site');
    expect(sites.rows).toEqual([{ tracking_id: 'demo', is_default: true, timezone: 'Europe/Berlin' }]);

    // Every material has rows, and there are conversions.
    const tables = ['click', 'event', 'search_day', 'page_version', 'conversion', 'ga4_age_gender'];
    for (const table of [...tables, 'ga4_country', 'ga4_region']) {
      expect(await database.write.from(`analytics.${table}`).first('site_id')).toEqual({ site_id: 1 });
    }
    const goals = await database.write
      .from('analytics.conversion')
      .distinct('goal_no')
      .orderBy('goal_no')
      .pluck('goal_no');
    expect(goals).toEqual([1, 2, 3]);
    const versions = await database.write
      .from('analytics.page_view')
      .whereNotNull('version_id')
      .first('site_id');
    expect(versions).toEqual({ site_id: 1 });
  });

  test('a load that was killed after the page views is completed with the same clock and size', async () => {
    const events = () => database.write.from('analytics.event').select('at', 'params').orderBy('event_id');
    await loadDemo(database.write, { now, views: 2000, onProgress: () => undefined });
    const before = await events();
    await database.write.raw('DELETE FROM analytics.event');
    await database.write.raw(`DELETE FROM analytics.import_run WHERE material = 'datalayer_event'`);
    expect(await hasDemo(database.write)).toBe(false);
    const later = new Date(now.getTime() + 86_400_000);
    await loadDemo(database.write, { now: later, views: 500, onProgress: () => undefined });
    expect(await events()).toEqual(before);
    expect(await hasDemo(database.write)).toBe(true);
  });

  const stop = (): never => {
    throw new Error('killed');
  };

  test('a load that was killed and restarted does not change the default site', async () => {
    await expect(loadDemo(database.write, { now, views: 200, onProgress: stop })).rejects.toThrow('killed');
    await loadDemo(database.write, { now, views: 200, onProgress: () => undefined });
    const sites = await database.write('analytics.site').select('tracking_id', 'is_default');
    expect(sites).toEqual([{ tracking_id: 'demo', is_default: true }]);
  });

  test('page views whose import failed are loaded the next time', async () => {
    const stopWithin = (done: number, total: number): void => {
      if (done > 0 && done < total) stop();
    };
    const failing = loadDemo(database.write, { now, views: 2000, onProgress: stopWithin });
    await expect(failing).rejects.toThrow('killed');
    expect(await hasDemo(database.write)).toBe(false);
    await loadDemo(database.write, { now, views: 2000, onProgress: () => undefined });
    expect(await database.write.from('analytics.page_view').first('site_id')).toEqual({ site_id: 1 });
  });

  test('another site stays the default', async () => {
    const shop = {
      tracking_id: 'shop',
      domain: 'shop.example',
      name: 'Shop',
      timezone: 'UTC',
      is_default: true,
    };
    await database.write('analytics.site').insert(shop);
    await loadDemo(database.write, { now, views: 200, onProgress: () => undefined });
    expect(await database.write('analytics.site').where({ is_default: true }).pluck('tracking_id')).toEqual([
      'shop',
    ]);
  });

  test('an existing site with this name is reported as an error and stays unchanged', async () => {
    const existing = {
      tracking_id: 'demo',
      domain: 'own.example',
      name: 'Mine',
      timezone: 'UTC',
      is_default: true,
    };
    await database.write('analytics.site').insert(existing);
    await expect(loadDemo(database.write, { now, onProgress: () => undefined })).rejects.toThrow(
      'Site demo already exists, with the domain own.example',
    );
    expect(await database.write('analytics.site').first(Object.keys(existing))).toEqual(existing);
  });
});
