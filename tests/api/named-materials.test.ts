// Materials that a query refers to incorrectly: the site's goals and events that the query does not list, materials without
// data, and materials that `all` does not support. Uses a real database, because these names are looked up only when a query
// needs them.

import type { TestHost } from '../support/test-host';
import {
  emptyQuiet,
  fillQuiet,
  guideOf,
  QUERY,
  ROWS,
  startContractHost,
  type Version,
} from './contracts/contract-host';

let host: TestHost;
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

const send = (body: object, version: Version = '2026-05-11') =>
  host.request('POST', `${QUERY}?version=${version}`, { user: host.credentials('ann'), body });

const reading = (material: string) => ({
  rows: { from: [material], keep: [`${material}.pv_id`] },
});

describe('a goal or an event that "materials" does not list', () => {
  // conformance: code.e-unknown-material
  test.each(['goal_1', 'events.purchase', 'click_event'])('from: ["%s"]', async (material) => {
    const { status, body } = await send({ ...ROWS, make: reading(material) });
    expect([status, body.error]).toMatchObject([
      400,
      {
        code: 'E_UNKNOWN_MATERIAL',
        at: 'make.rows.from[0]',
        hint: `Add {"name": "${material}"} to "materials", which lists allpv.`,
        details: { material, repaired: { materials: [{ name: 'allpv' }, { name: material }] } },
      },
    ]);
    expect((await send(body.error.details.repaired)).status).toBe(200);
  });

  test.each(['goal_1', 'events.purchase'])('join.with: "%s"', async (material) => {
    const on = [{ left: 'allpv.pv_id', right: `${material}.pv_id` }];
    const view = { ...ROWS.make.rows, join: { with: material, on } };
    const { body } = await send({ ...ROWS, make: { rows: view } });
    expect(body.error).toMatchObject({
      code: 'E_INVALID_JOIN',
      at: 'make.rows.join.with',
      hint: `Add {"name": "${material}"} to "materials".`,
    });
    expect((await send(body.error.details.repaired)).status).toBe(200);
  });

  test('that does not exist on the site is reported as an unknown view', async () => {
    const { body } = await send({ ...ROWS, make: reading('goal_9') });
    expect(body.error).toMatchObject({ code: 'E_UNKNOWN_VIEW', at: 'make.rows.from[0]' });
  });

  test('is not read if there is a view with that name', async () => {
    const make = { goal_1: ROWS.make.rows, rows: { from: ['goal_1'], keep: ['goal_1.pv_id'] } };
    expect((await send({ ...ROWS, make })).status).toBe(200);
  });
});

test('under "all", the error for a goal that no site has lists the existing goals', async () => {
  const { body } = await send({ ...ROWS, tracking_id: 'all', materials: [{ name: 'goal_9' }] });
  expect(body.error).toMatchObject({
    code: 'E_UNKNOWN_MATERIAL',
    at: 'materials[0].name',
    hint: 'Goals of this site: goal_1 (Thanks), goal_2 (Buy), goal_3 (Purchase), goal_4 (Cart), goal_5 (Call) and goal_6 (Read).',
  });
});

// conformance: code.e-unknown-material
test('the error for a material that `all` does not support lists those that it supports, including events', async () => {
  const { body } = await send({ ...ROWS, tracking_id: 'all', materials: [{ name: 'gsc' }] });
  expect(body.error).toMatchObject({ code: 'E_UNKNOWN_MATERIAL', at: 'materials[0].name' });
  const { available_materials: listed } = body.error.details;
  expect(listed).toEqual(expect.arrayContaining(['allpv', 'click_event', 'events.purchase', 'events.bare']));
  for (const name of listed)
    expect([
      name,
      (await send({ ...ROWS, tracking_id: 'all', materials: [{ name: 'allpv' }, { name }] })).status,
    ]).toEqual([name, 200]);
});

describe('under 2025-10-20', () => {
  const INITIAL = '2025-10-20';

  test('the error for a goal that the guide lists names the version that can query it', async () => {
    const { body } = await send({ ...ROWS, materials: [{ name: 'goal_1' }] }, INITIAL);
    expect([body.code, body.data.hint]).toEqual([
      'E_UNKNOWN_MATERIAL',
      'Goals of this site: goal_1 (Thanks), goal_2 (Buy), goal_3 (Purchase), goal_4 (Cart), goal_5 (Call) and goal_6 (Read). They are materials in version 2026-05-11: POST /query?version=2026-05-11.',
    ]);
  });

  // conformance: error.e-unknown-material
  test('a query on a material that the guide lists as unavailable is rejected, and answered once the material has rows', async () => {
    const { sites } = await guideOf(host, INITIAL);
    for (const { tracking_id, materials } of sites)
      for (const [name, { available }] of Object.entries<{ available: boolean }>(materials)) {
        const make = { rows: { from: [name], keep: [`${name}.url`] } };
        const { status, body } = await send({ ...ROWS, tracking_id, materials: [{ name }], make }, INITIAL);
        expect([tracking_id, name, status]).toEqual([tracking_id, name, available ? 200 : 400]);
        if (!available)
          expect(body).toMatchObject({
            code: 'E_UNKNOWN_MATERIAL',
            data: {
              material: name,
              at: 'materials[0].name',
              hint: expect.stringContaining(`the site has no rows in "${name}"`),
            },
          });
      }
    const quiet = { ...ROWS, tracking_id: 'quiet' };
    expect((await send(quiet, INITIAL)).body.data.available_materials).toEqual([]);
    await fillQuiet(host.database.write, 1);
    expect((await send(quiet, INITIAL)).status).toBe(200);
    await emptyQuiet(host.database.write);
    expect((await send(quiet, INITIAL)).status).toBe(400);
  });

  test("the error lists the site's other materials", async () => {
    const { body } = await send({ ...ROWS, tracking_id: 'blog', materials: [{ name: 'gsc' }] }, INITIAL);
    expect(body.message).toBe('The material "gsc" is not available for the site "blog".');
    expect(body.data.available_materials).toEqual(['allpv']);
  });
});

test('under the newest contract, an empty material returns no rows', async () => {
  const { status, body } = await send({ ...ROWS, tracking_id: 'quiet' });
  expect([status, body.result.rows]).toEqual([200, []]);
});
