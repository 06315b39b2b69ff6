// The primary fails right after imports that one replica lacks. That replica is promoted, at the primary's address or at its own.
import { setTimeout as pause } from 'node:timers/promises';
import { runOnce } from '../../../support/streaming-replica';
import type { Report, Trial } from '../../trial';
import { type Addressing, type Cluster, createCluster } from './cluster';

const PATIENCE_MS = 60_000;
const END = '2027-01-01T00:00:00';
const ROUNDS = 5;
/** Different sizes, so that lost and new imports cannot add up to the same number of views. */
const LOST_VIEWS = 11;
const NEW_VIEWS = 7;

export const failover: Trial = {
  name: 'failover',
  title:
    'After a replica that lacks the last imports is promoted, two servers recover by themselves, and no answer includes lost data, whether from cached results, columnar copies or the other replica',
  tries: 5,
  async run(dice, report, { tries }) {
    const longest = new Map<Addressing, number>();
    for (let count = 0; count < tries; count++) {
      report.tried();
      const addressing = count % 2 === 0 ? 'all addresses' : 'following address';
      const cluster = await createCluster(addressing);
      try {
        const needed = await failOver(cluster, 1 + dice.below(5), report);
        longest.set(addressing, Math.max(longest.get(addressing) ?? 0, needed));
      } finally {
        await cluster.remove();
      }
    }
    for (const [addressing, needed] of longest)
      report.note(`${addressing}: both servers answered within ${Math.round(needed)} ms of the promotion`);
  },
};

/** Returns how many milliseconds it takes until both servers answer again. */
async function failOver(cluster: Cluster, lostImports: number, report: Report): Promise<number> {
  const { primary, replicas, servers } = cluster;
  const [next, other] = replicas;
  const importAll = async (times: number, views: number) => {
    for (let count = 0; count < times; count++)
      if (!(await cluster.importViews(servers[0], views))) throw new Error('An import was refused.');
  };
  const countOn = () => Promise.all(servers.map((server) => cluster.countViews(server, END)));

  await importAll(3, 10);
  await next.caughtUp();
  await next.kill();
  await importAll(lostImports, LOST_VIEWS);
  await other.caughtUp();
  // Both servers have the data that will be lost: in cached results, and soon in their columnar copies.
  await countOn();
  await pause(2_000);
  await countOn();

  await primary.stop();
  await next.start();
  await next.promote();
  const moved = performance.now();
  cluster.pointTo(next.url);
  while ((await countOn()).includes(undefined))
    if (performance.now() - moved > PATIENCE_MS) throw new Error('A server did not recover.');
  const needed = performance.now() - moved;

  for (let round = 0; round <= ROUNDS; round++) {
    const [stored] = await runOnce(next.url, 'SELECT count(*)::int AS views FROM analytics.page_view');
    for (const views of await countOn())
      if (views === undefined) report.fault('unanswered', 'a server refused a query after it had recovered');
      else if (views !== stored?.views)
        report.fault('wrong', `${views} views were counted, ${stored?.views} are stored`);
    await importAll(round < ROUNDS ? 1 : 0, NEW_VIEWS);
  }
  return needed;
}
