// Measures imports of many small files, and of the same rows joined and shuffled:
// `node_modules/.bin/tsx bench/site-change/run-small.ts`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { seededRandom } from '../../extension/data/demo/random';
import { differencesOf, digestOf } from './compare-rows';
import { startCluster } from './databases';
import { writeFiles } from './files';
import { importViews } from './import-views';
import { type Cost, costOf } from './measure';

const LINES = 100;
/** How many of the first and of the last files are measured separately. */
const SPAN = 60;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      number: { type: 'string', default: '509' },
      files: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), 'qal-change-'));
  const folder = values.files ?? join(directory, 'files');
  mkdirSync(folder, { recursive: true });
  const cluster = await startCluster(join(directory, 'database'));
  try {
    for (const kind of ['given', 'log'] as const) {
      const { whole } = await writeFiles(folder, kind, Number(values.number) * LINES);
      const lines = readFileSync(whole, 'utf8').trimEnd().split('\n');
      const pieces = Array.from({ length: Number(values.number) }, (_, place) =>
        lines.slice(place * LINES, (place + 1) * LINES),
      );
      const all: { name: string; write: Knex }[] = [];
      const add = async (name: string, parts: readonly (readonly string[])[], limits?: object) => {
        const write = await cluster.create(`${kind}_${name}`);
        // Measures the first and the last files separately: their costs differ if a file costs more after many imports.
        for (const [from, to] of spansOf(parts.length)) {
          const before = await deadRows(write);
          const cost = await costOf(cluster.postmaster, async () => {
            for (const part of parts.slice(from, to))
              await importViews(write, kind, Readable.from([Buffer.from(`${part.join('\n')}\n`)]), limits);
          });
          show(`${kind} ${name} ${from + 1}-${to}`, cost, to - from, (await deadRows(write)) - before);
        }
        all.push({ name, write });
      };
      await add('files', pieces);
      await add('joined', [lines]);
      await add('small_pieces', [lines], { batchRows: 700, pieceRows: 2000 });
      const shuffled = shuffle(lines, Number(values.seed));
      const seventh = Math.ceil(shuffled.length / 7);
      const shuffledPieces = Array.from({ length: 7 }, (_, n) =>
        shuffled.slice(n * seventh, (n + 1) * seventh),
      );
      await add('shuffled', shuffledPieces);
      for (const { name, write } of all) {
        const { rows, digest } = await digestOf(write, kind === 'given');
        process.stdout.write(`${kind} ${name}: ${rows} rows, ${digest}\n`);
      }
      const [first, ...others] = all;
      for (const { name, write } of others)
        for (const text of first === undefined
          ? []
          : (await differencesOf(first.write, write, kind === 'given')).slice(0, 2))
          process.stdout.write(`${name} differs:\n  ${text}\n`);
      for (const { write } of all) await write.destroy();
    }
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function spansOf(files: number): readonly (readonly [from: number, to: number])[] {
  if (files <= 2 * SPAN) return [[0, files]];
  return [
    [0, SPAN],
    [SPAN, files - SPAN],
    [files - SPAN, files],
  ];
}

function shuffle(lines: readonly string[], seed: number): readonly string[] {
  const random = seededRandom(seed);
  return lines
    .map((line) => ({ line, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ line }) => line);
}

/** How many catalog rows have been updated or deleted. */
async function deadRows(write: Knex): Promise<number> {
  await write.raw('SELECT pg_stat_force_next_flush()');
  const { rows }: { rows: { dead: number }[] } = await write.raw(
    `SELECT sum(n_tup_upd + n_tup_del)::float8 AS dead FROM pg_stat_sys_tables WHERE schemaname = 'pg_catalog'`,
  );
  return rows[0]?.dead ?? 0;
}

function show(what: string, { seconds, node, server }: Cost, files: number, dead: number): void {
  const each = (value: number): string => ((value * 1000) / files).toFixed(1);
  process.stdout.write(
    `${what.padEnd(28)} ${seconds.toFixed(2)} s, node ${node.toFixed(2)}, server ${server.toFixed(2)}: for each of ${files} files ` +
      `${each(seconds)} ms, node ${each(node)}, server ${each(server)}, ${(dead / files).toFixed(1)} dead catalog rows\n`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
