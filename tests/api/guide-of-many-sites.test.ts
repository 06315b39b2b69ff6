// The time to build a guide is proportional to its content, even with many sites.
import type { ReadPool } from '../../db/read-pool';
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { readAvailability } from '../../extension/api/guide/availability';
import { describeSites } from '../../extension/api/guide/describe-sites';
import { observedEvents } from '../../extension/data/storage/observed-events';
import { NO_WORKERS } from '../../extension/data/storage/workers';
import { loadManifest } from '../../manifests/reader/manifest';
import { useWorkCounter } from '../support/count-work';

const manifest = loadManifest();
const [contract] = installedContracts(manifest);
if (contract === undefined) throw new Error('No contract is installed.');

const SITES = 2_000;
/** Searching all 10,000 rows for each of the 2,000 sites would take 20 million steps. */
const MAX_STEPS = 2_000_000;

const work = useWorkCounter();
const sites = Array.from({ length: SITES }, (_, index) => ({
  siteId: index + 1,
  trackingId: `site${index}`,
  domain: `site${index}.example`,
  name: `Site ${index}`,
  isDefault: index === 0,
  timezone: 'UTC',
  retentionDays: null,
}));
const ids = sites.map(({ siteId }) => siteId);
const five = <Row>(row: (siteId: number, number: number) => Row): readonly Row[] =>
  ids.flatMap((siteId) => [1, 2, 3, 4, 5].map((number) => row(siteId, number)));

/** A database that returns these rows for every statement. */
const returning = (rows: readonly unknown[]): ReadPool =>
  ({ select: async () => rows }) as unknown as ReadPool;

async function workOf<Result>(act: () => Promise<Result>): Promise<{ result: Result; steps: number }> {
  await act();
  await work();
  const result = await act();
  return { result, steps: await work() };
}

test('goals', async () => {
  const goals = five((site_id, id) => ({
    site_id,
    id,
    name: `Goal ${id}`,
    type: 'gtype_page',
    condition: '/',
  }));
  const context = { contract, manifest, database: returning(goals), measured: [], workers: NO_WORKERS };
  const { result, steps } = await workOf(() => describeSites(sites, context));
  expect(result[SITES - 1]?.goals.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  expect(steps).toBeLessThan(MAX_STEPS);
});

test('events', async () => {
  const events = five((site_id, number) => ({
    site_id,
    event_name: `event_${number}`,
    observed: { a: 'number' },
  }));
  const { result, steps } = await workOf(() => observedEvents(returning(events), ids, manifest));
  expect(result.get(SITES)?.size).toBe(5);
  expect(steps).toBeLessThan(MAX_STEPS);
});

test('days with data', async () => {
  const extents = ids.map((site_id) => ({ site_id, first: '2026-05-01', last: '2026-05-02', counted: 3 }));
  const measured = [...manifest.materials.values()].slice(0, 4);
  const { result, steps } = await workOf(() => readAvailability(returning(extents), sites, measured));
  expect(result.get(SITES)?.get('allpv')).toEqual({ rows: 3, firstDay: '2026-05-01', lastDay: '2026-05-02' });
  expect(steps).toBeLessThan(MAX_STEPS);
});
