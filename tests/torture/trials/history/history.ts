// The database goes back in time, loses commits, or has its change times shifted, while the server still has newer data in cached
// results, pages and the columnar copy.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openWritePool } from '../../../../db/write-pool';
import { NO_WORKERS } from '../../../../extension/data/storage/workers';
import { readSavedStatus } from '../../../../extension/query/columns/columns-status';
import { pruneChanges } from '../../../../extension/query/columns/refresh-site';
import type { Dice } from '../../../language/interpreter/random/dice';
import { basicHeader } from '../../../support/test-host';
import { createInstallation, type Installation, type Server } from '../../installation';
import type { Report, Trial } from '../../trial';
import { createCluster, type MovableCluster } from './movable-cluster';

const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';
const PATIENCE_MS = 120_000;
const MAX_IMPORTS = 3;
const MAX_VIEWS = 40;
const VERSIONS_SEEN = 3;
const SAVED = ['a', 'b', 'c'];
const MAX_JUMP_DAYS = 400;

export const history: Trial = {
  name: 'history',
  title:
    'After PostgreSQL is restored from its files, loses asynchronous commits in a crash, or has its change times shifted, every answer from columns, rows or the cache matches the stored rows, and no later page of an answer comes from different data',
  tries: 100,
  async run(dice, report, { tries }) {
    const world = await createWorld();
    try {
      const counts = new Map<string, number>();
      for (let count = 0; count < tries; count++) {
        report.tried();
        const event = EVENTS[count % EVENTS.length] ?? 'crash';
        const known = await versionOf(world);
        await trigger(world, event, dice);
        const found = await versionOf(world);
        const what = found === known ? event : `${event} that lost versions`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
        await compare(world, report, what);
        for (let times = 1 + dice.below(MAX_IMPORTS); times > 0; times--) {
          await importViews(world, 1 + dice.below(MAX_VIEWS));
          await compare(world, report, `an import after ${what}`);
        }
      }
      for (const [what, times] of counts) report.note(`${what}: ${times}`);
      report.note(`${world.fromColumns} answers from columns, ${world.cached} cached`);
    } finally {
      await world.remove();
    }
  },
};

const EVENTS = [
  'crash',
  'restore',
  'jump',
  'crash while the server is off',
  'restore while the server is off',
] as const;
type Event = (typeof EVENTS)[number];

interface World {
  readonly cluster: MovableCluster;
  readonly installation: Installation;
  readonly headers: Readonly<Record<string, string>>;
  server: Server;
  /** The names of saved copies of the database files. */
  readonly saved: Set<string>;
  /** The latest data versions that clients have received. */
  seen: readonly string[];
  views: number;
  freshQueries: number;
  fromColumns: number;
  cached: number;
  remove(): Promise<void>;
}

async function createWorld(): Promise<World> {
  const cluster = await createCluster();
  try {
    await cluster.start();
    const installation = await createInstallation({
      DATABASE_URL: cluster.url,
      QAL_COLUMNS_MEMORY_MB: '128',
    });
    const server = await installation.serve();
    const must = async (args: readonly string[], input?: string) => {
      const { code, out, err } = await installation.run(args, undefined, input);
      if (code !== 0) throw new Error(err);
      return out.trim();
    };
    await must(['sites', 'apply', '-'], SITES);
    const key = ['passwords', 'create', 'admin', '--name', 'torture', '--level', 'import'];
    const headers = {
      Authorization: basicHeader({ login: 'admin', secret: await must(key) }),
      'Content-Type': 'application/json',
    };
    await cluster.run('CHECKPOINT');
    return {
      cluster,
      installation,
      headers,
      server,
      saved: new Set(),
      seen: [],
      views: 0,
      freshQueries: 0,
      fromColumns: 0,
      cached: 0,
      async remove() {
        await installation.remove();
        await cluster.remove();
      },
    };
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}

async function trigger(world: World, event: Event, dice: Dice): Promise<void> {
  const { cluster, installation, saved } = world;
  const isOff = event.endsWith('off');
  if (isOff) {
    world.server.child.kill('SIGTERM');
    await world.server.ended;
  }
  if (event === 'jump') await jump(world, dice);
  else {
    await cluster.crash();
    if (event.startsWith('restore') && saved.size > 0) await cluster.restore(dice.pick([...saved]));
    else {
      const name = dice.pick(SAVED);
      await cluster.save(name);
      saved.add(name);
    }
    await cluster.start();
  }
  if (isOff) world.server = await installation.serve();
}

/** Shifts the times of recorded changes, and then prunes old changes, as another server would. */
async function jump({ cluster }: World, dice: Dice): Promise<void> {
  const days = dice.below(2 * MAX_JUMP_DAYS) - MAX_JUMP_DAYS;
  await cluster.run(`UPDATE analytics.change SET changed_at = changed_at + make_interval(days => ${days})`);
  const write = openWritePool({
    connection: { connectionString: cluster.url },
    poolMax: 1,
    name: 'trial',
    settings: {},
    onPoolError: () => {},
  });
  await pruneChanges(write, NO_WORKERS).finally(() => write.destroy());
}

const versionRows = z.tuple([z.object({ token: z.string() })]);

async function versionOf({ cluster }: World): Promise<string> {
  return versionRows.parse(await cluster.run('SELECT token FROM analytics.site_version'))[0].token;
}

/** Retries a request while the database is unavailable. */
async function send({ server, headers }: World, path: string, body: string) {
  for (const before = Date.now(); ; await pause(50)) {
    const response = await fetch(`${server.url}/wp-json${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== 503) return { status: response.status, text };
    if (Date.now() - before > PATIENCE_MS) throw new Error(text);
  }
}

async function importViews(world: World, count: number): Promise<void> {
  const line = () => {
    world.views += 1;
    const at = new Date(Date.UTC(2026, 4, 1) + world.views * 1_000_000).toISOString();
    const view = { pv_id: world.views, url: `/${world.views % 7}`, reader_id: 1, session_id: world.views };
    return JSON.stringify({ ...view, access_time: at, browse_sec: world.views % 100 });
  };
  const body = Array.from({ length: count }, line).join('\n');
  const { status, text } = await send(world, '/qal-data/v1/import/allpv?site=shop', body);
  if (status !== 200) throw new Error(`${status}: ${text}`);
}

const answerSchema = z.object({
  result: z.object({ rows: z.array(z.tuple([z.string(), z.number(), z.number()])) }),
  meta: z.object({ cached: z.boolean(), data_version: z.string() }),
});

/** A new view name bypasses the result cache. A data version requests a page of an earlier answer. */
async function ask(world: World, name: string, dataVersion?: string) {
  const query = {
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-01-01T00:00:00', end: '2030-01-01T00:00:00', tz: 'UTC' },
    make: {
      [name]: {
        from: ['allpv'],
        keep: ['allpv.url'],
        calc: { n: 'COUNT(allpv.pv_id)', s: 'SUM(allpv.browse_sec)' },
        sort: { by: 'url', order: 'asc' },
      },
    },
    result: { use: name, offset: 0, ...(dataVersion !== undefined && { data_version: dataVersion }) },
  };
  const { status, text } = await send(world, '/qa-platform/query', JSON.stringify(query));
  if (status === 409) return undefined;
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return answerSchema.parse(JSON.parse(text));
}

/** Compares answers with the stored rows: immediately, and again from the columnar copy once it is current. */
async function compare(world: World, report: Report, what: string): Promise<void> {
  const stored = await world.cluster.run(
    `SELECT url, count(*)::int AS n, sum(browse_sec)::int AS s
       FROM analytics.page_view JOIN analytics.page USING (site_id, page_id) GROUP BY url ORDER BY url COLLATE "C"`,
  );
  const expected = JSON.stringify(stored.map(({ url, n, s }) => [url, n, s]));
  const check = (answer: Awaited<ReturnType<typeof ask>>, from: string) => {
    const found = JSON.stringify(answer?.result.rows);
    if (found !== expected) report.fault('wrong', `${from} after ${what}: ${found}, stored ${expected}`);
  };
  const first = await ask(world, 'same');
  check(first, first?.meta.cached === true ? 'the cache' : 'an answer');
  const again = await ask(world, 'same');
  if (again?.meta.cached === true) world.cached += 1;
  check(again, 'a repeated answer');
  world.freshQueries += 1;
  if (!(await isCopied(world))) {
    report.fault('unanswered', `the copy did not become current after ${what}`);
    return;
  }
  check(await ask(world, `q${world.freshQueries}`), 'columns');
  world.fromColumns += 1;
  for (const version of world.seen) {
    const page = await ask(world, 'same', version);
    if (page !== undefined) check(page, 'a page of an earlier version');
  }
  world.seen = [...world.seen, ...(first === undefined ? [] : [first.meta.data_version])].slice(
    -VERSIONS_SEEN,
  );
}

async function isCopied(world: World): Promise<boolean> {
  for (const before = Date.now(); Date.now() - before < PATIENCE_MS; await pause(50)) {
    const status = await readSavedStatus(join(world.installation.dataDir, 'columns'));
    const version = await versionOf(world);
    if (status?.state === 'ready' && status.sites.some((site) => site.version === version)) return true;
  }
  return false;
}
