// The scope of a query contains the versions of its sites, and of no other sites.

import { randomUUID } from 'node:crypto';
import type { Statement } from '../../db/connection-pool';
import { saveGoal } from '../../extension/data/storage/goals/save-goal';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { parseQuery } from '../../extension/language/parse/parse-query';
import { readDocument } from '../../extension/language/parse/read-document';
import { finish } from '../../extension/language/types/steps';
import { loadScope } from '../../extension/query/load-scope';
import type { QueryContext } from '../../extension/query/query-context';
import { createContext } from '../language/query-setup';
import { useTestDatabase } from '../support/use-database';

const database = useTestDatabase();
/** Tracking id -> site id. */
let ids: ReadonlyMap<string, number>;
const VERSIONS = { a: randomUUID(), b: randomUUID(), c: randomUUID() };
let query: jest.SpyInstance<Promise<unknown[]>, [Statement]>;

beforeAll(async () => {
  const site = (tracking_id: string) => ({
    tracking_id,
    domain: `${tracking_id}.example`,
    name: tracking_id,
    timezone: 'Europe/Berlin',
  });
  await applySites(database.write, { sites: ['b', 'a', 'c'].map(site) });
  const goal = { id: 1, name: 'Order', type: 'url_match', condition: '/thanks' };
  expect(await saveGoal(database.write, 'a', goal, 'add')).toEqual([]);
  const rows = await database.write('analytics.site').select('tracking_id', 'site_id');
  ids = new Map(rows.map((row) => [row.tracking_id, row.site_id]));
  for (const [tracking_id, token] of [
    ['a', VERSIONS.a],
    ['b', VERSIONS.b],
    ['c', VERSIONS.c],
  ] as const)
    await database
      .write('analytics.site_version')
      .where({ site_id: ids.get(tracking_id) })
      .update({ token });
});
beforeEach(() => {
  query = jest.spyOn(database.read, 'query');
});
afterEach(() => jest.restoreAllMocks());

function idOf(trackingId: string): number {
  const id = ids.get(trackingId);
  if (id === undefined) throw new Error(`There is no site ${trackingId}.`);
  return id;
}

async function scopeOf(trackingId: unknown, changes: Partial<QueryContext> = {}, column = 'pv_id') {
  const context = await createContext(database, changes);
  const body = JSON.stringify({
    tracking_id: trackingId,
    materials: [{ name: 'allpv' }],
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
    make: { v: { from: ['allpv'], keep: [`allpv.${column}`] } },
    result: { use: 'v' },
  });
  query.mockClear();
  return loadScope(finish(parseQuery(readDocument(body), context)).requested, context);
}

test('the scope of a site contains its data version', async () => {
  const scope = await scopeOf('a');
  expect(scope).toMatchObject({ trackingId: 'a', all: false, siteIds: [idOf('a')] });
  expect(scope.states).toEqual([{ siteId: idOf('a'), version: VERSIONS.a }]);
});

test('"all" contains every site with its state, in id order', async () => {
  const expected = [
    { siteId: idOf('a'), version: VERSIONS.a },
    { siteId: idOf('b'), version: VERSIONS.b },
    { siteId: idOf('c'), version: VERSIONS.c },
  ].sort((left, right) => left.siteId - right.siteId);
  const scope = await scopeOf('all');
  expect(scope).toMatchObject({ all: true, siteIds: expected.map(({ siteId }) => siteId) });
  expect(scope.states).toEqual(expected);
});

test('"all" contains only sites that the user may see', async () => {
  const { siteIds } = await scopeOf('all', { sites: ['c', 'a', 'gone'] });
  expect(siteIds).toEqual([idOf('a'), idOf('c')].sort((left, right) => left - right));
});

test.each([
  ['one site', 'a', 'all', 2],
  ['one of several permitted sites', 'a', ['b', 'a'], 2],
  ['all sites', 'all', 'all', 1],
  ['all of several permitted sites', 'all', ['b', 'a'], 2],
] as const)('%s: as few statements as possible are run', async (_name, trackingId, sites, statements) => {
  await scopeOf(trackingId, { sites });
  expect(query).toHaveBeenCalledTimes(statements);
});

test('a query on a single site does not read the versions of other sites, which may be on a machine that does not respond', async () => {
  await scopeOf('a');
  const sent = query.mock.calls.map(([statement]) => statement);
  expect(sent).toEqual([
    expect.objectContaining({
      text: expect.stringContaining('FROM analytics.site WHERE tracking_id = ANY($1::text[])'),
      values: [['a']],
    }),
    expect.objectContaining({
      text: expect.stringMatching(/FROM analytics\.site_version WHERE site_id = \$1$/),
      values: [idOf('a')],
    }),
  ]);
});

test.each(['is_goal_1', 'is_goal_9', 'is_goal_order', 'IS_GOAL_1'])(
  'the scope of a query on %s contains the goals of the site',
  async (column) => {
    const { goals } = await scopeOf('a', {}, column);
    expect(goals).toEqual([{ number: 1, names: ['Order'], isSame: true }]);
  },
);

test.each([
  ['a missing site', 'x', 'all'],
  ["another user's site", 'b', ['a']],
  ['"all" for a user who sees no sites', 'all', []],
  ['a string that no site can have', 'a\0', 'all'],
  ['a number', 7, 'all'],
] as const)('%s is rejected as unknown', async (_name, trackingId, sites) => {
  await expect(scopeOf(trackingId, { sites })).rejects.toMatchObject({
    code: 'E_UNKNOWN_TRACKING_ID',
    details: {
      available_sites: (sites === 'all' ? ['a', 'b', 'c'] : sites).map((id) =>
        expect.objectContaining({ tracking_id: id }),
      ),
    },
  });
});
