// Measures the cost of importing page views, in Node and in PostgreSQL:
// `node_modules/.bin/tsx bench/site-change/run.ts --views 1000000`.
import { createReadStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { type Cluster, startCluster } from './databases';
import { type Kind, writeFiles } from './files';
import { importViews } from './import-views';
import { type Cost, costOf } from './measure';

const KINDS: readonly Kind[] = ['given', 'log'];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      views: { type: 'string', default: '100000' },
      kind: { type: 'string' },
      files: { type: 'string' },
      sql: { type: 'string' },
    },
  });
  const views = Number(values.views);
  const directory = mkdtempSync(join(tmpdir(), 'qal-change-'));
  const folder = values.files ?? join(directory, 'files');
  mkdirSync(folder, { recursive: true });
  const cluster = await startCluster(join(directory, 'database'));
  try {
    for (const kind of KINDS.filter((one) => values.kind === undefined || one === values.kind)) {
      await measure(cluster, kind, await writeFiles(folder, kind, views), values.sql);
    }
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Files = Awaited<ReturnType<typeof writeFiles>>;

async function measure(cluster: Cluster, kind: Kind, files: Files, sql: string | undefined): Promise<void> {
  const write = await cluster.create(`of_${kind}`, sql);
  let read = 0;
  let counts = '';
  const run = async (input: Readable): Promise<void> => {
    const report = await importViews(write, kind, input);
    read = report.read;
    counts = `+${report.added} ~${report.updated} =${report.unchanged}`;
  };
  const show = async (what: string, work: () => Promise<unknown>): Promise<void> =>
    say(`${kind}: ${what}`, await costOf(cluster.postmaster, work), read, counts);
  await show('fill', () => run(createReadStream(files.rest)));
  await write.raw('VACUUM (ANALYZE) analytics.page_view');
  await showSize(write);
  await show('late rows', () => run(createReadStream(files.late)));
  await show('late rows again', () => run(createReadStream(files.late)));
  for (const tick of [1, 2, 3]) await show(`tick ${tick}`, () => run(tickOf(kind, tick)));
  await write.destroy();
}

/** Ten views that are newer than all others. */
function tickOf(kind: Kind, tick: number): Readable {
  const at = Date.UTC(2026, 10, 20, 1, tick) / 1000;
  const lines = Array.from({ length: 10 }, (_, place) =>
    kind === 'given'
      ? JSON.stringify({
          pv_id: 100_000_000 + tick * 10 + place,
          session_id: 200_000_000 + tick,
          reader_id: 300_000_000 + tick,
          access_time: at + place,
          url: 'https://demo.example/tick',
        })
      : `10.200.${tick}.1 - - [20/Nov/2026:01:0${tick}:0${place} +0000] "GET /tick HTTP/1.1" 200 1 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"`,
  );
  return Readable.from([Buffer.from(`${lines.join('\n')}\n`)]);
}

function say(what: string, { seconds, node, server }: Cost, rows: number, counts: string): void {
  const rate = Math.round(rows / Math.max(node, server));
  process.stdout.write(
    `${what.padEnd(34)} ${seconds.toFixed(2)} s, node ${node.toFixed(2)}, server ${server.toFixed(2)}, ${rows} rows (${counts}), ` +
      `${Math.round(rows / seconds)}/s, ${rate}/s by the busier process, ${Math.round(rows / (node + server))}/s by both, RSS ${Math.round(process.memoryUsage().rss / 1e6)} MB, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
}

async function showSize(write: Knex): Promise<void> {
  const { rows }: { rows: { name: string; bytes: number }[] } = await write.raw(
    `SELECT o.relname AS name, pg_relation_size(o.oid)::float8 / (SELECT count(*) FROM analytics.page_view) AS bytes
       FROM pg_class o WHERE o.oid = 'analytics.page_view'::regclass
          OR o.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = 'analytics.page_view'::regclass) ORDER BY 2 DESC`,
  );
  const all = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  process.stdout.write(
    `    ${all.toFixed(0)} bytes per view: ${rows.map(({ name, bytes }) => `${name} ${bytes.toFixed(1)}`).join(', ')}\n`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
