// Continuously queries two servers with two replicas while data is imported and replicas fall behind and go down.
import { setTimeout as pause } from 'node:timers/promises';
import type { Dice } from '../../../language/interpreter/random/dice';
import type { Report, Trial } from '../../trial';
import { type Cluster, createCluster } from './cluster';

const CLIENTS = 4;
const MAX_VIEWS = 40;
const IMPORT_MS = 300;
const DISTURB_MS = 1_500;

/** The ends of the time ranges, all later than the data. There are only 20, so that some results are cached. */
const ENDS = Array.from(
  { length: 20 },
  (_, index) => `2027-01-${String(index + 1).padStart(2, '0')}T00:00:00`,
);

export const servers: Trial = {
  name: 'servers',
  title:
    'While two servers import and their read replicas fall behind and go down, every answer includes everything confirmed before it and no partial import',
  tries: 20_000,
  async run(dice, report, { tries }) {
    const cluster = await createCluster('following address');
    try {
      await askAll(cluster, dice, report, tries);
    } finally {
      await cluster.remove();
    }
  },
};

async function askAll(cluster: Cluster, dice: Dice, report: Report, tries: number): Promise<void> {
  const ending = new AbortController();
  const waitFor = (ms: number) => pause(ms, undefined, { signal: ending.signal }).catch(() => {});
  /** The number of views after each complete import. */
  const completeCounts = new Set([0]);
  let confirmed = 0;
  let begun = 0;
  let queries = 0;
  let imports = 0;

  async function keepImporting(): Promise<void> {
    while (!ending.signal.aborted) {
      const count = 1 + dice.below(MAX_VIEWS);
      begun += count;
      completeCounts.add(begun);
      if (!(await cluster.importViews(dice.pick(cluster.servers), count)))
        throw new Error('An import was refused, although the primary was available.');
      confirmed = begun;
      imports += 1;
      await waitFor(IMPORT_MS);
    }
  }

  async function disturb(): Promise<void> {
    while (!ending.signal.aborted) {
      const replica = dice.pick(cluster.replicas);
      if (dice.chance(2)) {
        await replica.run('SELECT pg_wal_replay_pause()');
        await waitFor(DISTURB_MS);
        await replica.run('SELECT pg_wal_replay_resume()');
      } else {
        await replica.kill();
        await waitFor(DISTURB_MS);
        await replica.start();
      }
      await waitFor(DISTURB_MS);
    }
  }

  async function keepAsking(): Promise<void> {
    while (queries < tries) {
      queries += 1;
      report.tried();
      const min = confirmed;
      const views = await cluster.countViews(dice.pick(cluster.servers), dice.pick(ENDS));
      if (views === undefined) report.fault('unanswered', '503, although the primary was available');
      else if (views < min) report.fault('lost', `${views} views were counted after ${min} were confirmed`);
      else if (!completeCounts.has(views))
        report.fault('wrong', `${views} views were counted, which includes part of an import`);
    }
  }

  const others = Promise.all([keepImporting(), disturb()]);
  try {
    await Promise.race([Promise.all(Array.from({ length: CLIENTS }, keepAsking)), others]);
  } finally {
    ending.abort();
    // If one of them failed, its error has already ended the race.
    await others.catch(() => {});
  }
  const words = await Promise.all(cluster.servers.map(cluster.describeReplicas));
  for (const word of words)
    if (!/\b[1-9][\d,]* reads? answered/.test(word)) report.fault('wrong', `no replica was used: ${word}`);
  report.note(`${imports} imports; replicas: ${words.join('; ')}`);
}
