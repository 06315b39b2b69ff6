// The lookup of materials without rows does not use the query's slot in the queue, so it must be short and shared.
import type { ReadPool } from '../../db/read-pool';
import { emptyMaterials } from '../../extension/query/notes-on';
import { manifest, useCaseDatabase } from '../language/query-setup';

const { database } = useCaseDatabase();
let version = 0;

/** Returns a lookup for a new data version of a site, with a pool that counts its connections. */
async function setUp() {
  version += 1;
  const { site_id: siteId } = await database.write
    .from('analytics.site')
    .where({ tracking_id: 'shop' })
    .first();
  const state = { siteId, version: `${version}` };
  const connections = { count: 0, fail: false };
  const withConnection: ReadPool['withConnection'] = (patience, work) => {
    connections.count += 1;
    if (connections.fail) return Promise.reject(new Error('The database is down.'));
    return database.read.withConnection(patience, work);
  };
  const read = { ...database.read, withConnection };
  const emptyOf = (...names: readonly string[]) => emptyMaterials(names, state, { database: read, manifest });
  return { connections, emptyOf };
}

test('materials and goals without rows are looked up once per version', async () => {
  const { connections, emptyOf } = await setUp();
  for (const _time of [1, 2]) {
    const empty = await emptyOf('allpv', 'goal_98', 'goal_99', 'query_record', 'goal_98');
    expect(empty).toEqual(new Set(['goal_98', 'goal_99']));
    expect(connections.count).toBe(3);
  }
});

test('concurrent queries share a lookup, which times out while its table is locked', async () => {
  const { connections, emptyOf } = await setUp();
  await database.write.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE analytics.conversion IN ACCESS EXCLUSIVE MODE');
    const empty = await Promise.all(Array.from({ length: 100 }, () => emptyOf('goal_98')));
    expect(empty).toEqual(empty.map(() => new Set()));
  });
  expect(connections.count).toBe(1);
});

test('a lookup that has failed is repeated', async () => {
  const { connections, emptyOf } = await setUp();
  connections.fail = true;
  await expect(emptyOf('goal_98')).rejects.toThrow('The database is down.');
  connections.fail = false;
  expect(await emptyOf('goal_98')).toEqual(new Set(['goal_98']));
});
