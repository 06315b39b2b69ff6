// If qal export or qal backup is stopped or runs out of disk space, it leaves no transaction and no file behind.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { loadDemo } from '../../../extension/data/demo/load-demo';
import { useProgram } from '../../support/program-process';
import { runCommand } from '../../support/run-command';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase({
  name: 'stopped_export',
  fill: async (write: Knex) => {
    await loadDemo(write, { now: new Date('2026-05-01T10:00:00Z'), views: 100, onProgress: () => {} });
    // Adds more rows than a socket's buffers can hold.
    await write.raw(`
      INSERT INTO analytics.page_view SELECT view.*
        FROM analytics.page_view p, generate_series(1, 20000) n,
             jsonb_populate_record(p, jsonb_build_object('pv_id', 1000000 + n)) view
       WHERE p.pv_id = (SELECT min(pv_id) FROM analytics.page_view)`);
  },
});
const program = useProgram(join(__dirname, '../../../host-shim/cli/qal.ts'));

const disk = mkdtempSync(join(tmpdir(), 'qal-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'qal-test', disk], {
  encoding: 'utf8',
});
const isMounted = mounted.status === 0;
const folder = mkdtempSync(join(tmpdir(), 'qal-test-'));
afterAll(async () => {
  if (isMounted) spawnSync('umount', [disk]);
  await rm(disk, { recursive: true });
  await rm(folder, { recursive: true });
});

const start = (...args: readonly string[]) =>
  program.start(args, {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'unused'),
  });

/** Runs a command in this process. */
const run = (...args: readonly string[]) => runCommand({ database }, args);

/** Waits until `count` of the other connections meet the condition. */
const waitFor = (count: number, condition: string): Promise<void> =>
  until(async () => {
    const { rows } = await database.write.raw(
      `SELECT count(*)::int AS n FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`,
    );
    return rows[0].n === count;
  });

const OF_PROGRAM = `application_name = 'qal write'`;

test('a single Ctrl-C or SIGTERM ends the command while PostgreSQL is running the COPY', async () => {
  await database.write.transaction(async (transaction) => {
    await transaction.raw('LOCK TABLE analytics.page_view IN ACCESS EXCLUSIVE MODE');
    const runs = (['SIGINT', 'SIGTERM'] as const).map((stop) => {
      const target = join(folder, stop);
      return { stop, target, ...start('export', '--site', 'demo', target) };
    });
    await waitFor(2, `${OF_PROGRAM} AND wait_event_type = 'Lock' AND query LIKE 'COPY%'`);
    for (const { child, stop } of runs) child.kill(stop);
    for (const { ended, text, target } of runs) {
      expect([await ended, text.err]).toEqual([1, 'Stopped. The files written so far are complete.\n']);
      expect(await readdir(target)).toEqual([]);
    }
  });
  await waitFor(0, OF_PROGRAM);
});

const title = 'qal export and qal backup end when the disk is full, and report the reason';
if (!isMounted)
  test.skip(`${title} (skipped: a small disk cannot be mounted here. ${mounted.stderr})`, () => {});
else
  test(title, async () => {
    const target = join(disk, 'export');
    await mkdir(target);
    for (const args of [
      ['export', '--site', 'demo', target],
      ['backup', join(target, 'backup.gz')],
    ])
      expect(await run(...args)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^(.* MB( of text)?\n)*The disk is full\.\n$/),
      });
    expect(await readdir(target)).toEqual([]);
    await waitFor(0, 'xact_start IS NOT NULL');
  });

const siteTitle = 'if the disk is full when site.yaml is written, no part of it is left behind';
if (!isMounted)
  test.skip(`${siteTitle} (skipped: a small disk cannot be mounted here. ${mounted.stderr})`, () => {});
else
  test(siteTitle, async () => {
    const target = join(disk, 'site');
    await mkdir(target);
    // Fills the disk completely; an empty file can still be created.
    await writeFile(join(disk, 'filler'), Buffer.alloc(2 ** 20)).catch(() => {});
    expect(await run('export', '--site', 'demo', '--material', 'page_version', target)).toMatchObject({
      code: 1,
      err: 'The disk is full.\n',
    });
    expect(await readdir(target)).toEqual([]);
    await rm(join(disk, 'filler'));
  });
