// Scheduled backups are written, checked, copied, rehearsed and reported. The tests set the clock and never wait.

import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Knex } from 'knex';
import { loadDemo } from '../../extension/data/demo/load-demo';
import { backupName, listBackups } from '../../host-shim/backups/backup-folder';
import { checkBackup } from '../../host-shim/backups/backup-health';
import { type BackupTools, backUpIfDue } from '../../host-shim/backups/backup-schedule';
import { runBackupCommand } from '../../host-shim/backups/run-command';
import { readJobs, runAlone, runJob } from '../../host-shim/jobs/job-runs';
import { configure } from '../../host-shim/server/config';
import { createMemoryLog } from '../support/memory-log';
import { runCommand } from '../support/run-command';
import { SCHEMAS } from '../support/test-server';
import { until } from '../support/until';
import { useTestDatabase } from '../support/use-database';
import { useFolder } from '../support/use-folder';

const database = useTestDatabase({
  name: 'backup_schedule',
  fill: async (write) => {
    await loadDemo(write, { now: new Date('2026-05-01T10:00:00Z'), views: 500, onProgress: () => {} });
  },
});

const parent = useFolder({ perFile: true, inMemory: true });
let folder: string;
let dataDir: string;
let folders = 0;
beforeEach(async () => {
  folders += 1;
  folder = join(parent, `backups-${folders}`);
  dataDir = join(parent, `data-${folders}`);
  await mkdir(folder);
  await mkdir(dataDir);
  await database.write('host.job').delete();
  await database.write('host.backup').delete();
});

const DAY_MS = 86_400_000;
const NIGHT = new Date(2026, 4, 2, 3, 0, 30);
const later = (days: number) => new Date(NIGHT.getTime() + days * DAY_MS);

const environmentOf = (more: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: dataDir,
  QAL_BACKUP_DIR: folder,
  QAL_BACKUP_REHEARSAL: 'off',
  ...more,
});

function toolsAt(now: Date, more?: Readonly<Record<string, string>>, signal = new AbortController().signal) {
  const { log, logged } = createMemoryLog();
  const tools: BackupTools = {
    write: database.write,
    schemas: SCHEMAS,
    log,
    clock: () => now,
    config: configure([], environmentOf(more)).config,
    signal,
  };
  return { tools, logged };
}

const lookAt = (tools: BackupTools) => checkBackup({ ...tools, ...tools.config });

async function backUp(now: Date, more?: Readonly<Record<string, string>>) {
  const { tools, logged } = toolsAt(now, more);
  await backUpIfDue(tools);
  return {
    finding: await lookAt(tools),
    errors: logged.filter(({ level }) => Number(level) >= 50),
    jobs: await readJobs(database.write),
  };
}

// conformance: beyond.backups-happen
test('a backup is written once a day, and reported', async () => {
  const first = await backUp(NIGHT);
  expect(first.errors).toEqual([]);
  expect(first.finding).toMatchObject({
    state: 'fine',
    brief: expect.stringMatching(/^the last is 0 days old, \d+\.\d MB, on the same disk as the data$/),
  });
  await backUp(later(0.5));
  expect(await listBackups(folder)).toHaveLength(1);
  await backUp(later(1));
  const files = await listBackups(folder);
  expect(files.map(({ madeAt }) => madeAt)).toEqual(
    [later(1), NIGHT].map((at) => new Date(at.setMilliseconds(0))),
  );
  const answers = JSON.parse(
    gunzipSync(await readFile(files[0]?.path ?? ''))
      .toString()
      .split('\n', 1)[0] ?? '',
  ).answers;
  expect(Object.values(answers).map((bySite) => Object.keys(bySite as object))).toContainEqual(['demo']);
  expect(Object.keys(answers)).toHaveLength(10);
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test : test.skip)('a backup that root writes belongs to the owner of the folder', async () => {
  await chown(folder, 1, 1);
  await backUp(NIGHT);
  const [written] = await listBackups(folder);
  expect((await stat(written?.path ?? '')).uid).toBe(1);
});

// conformance: beyond.backups-happen
test('without a folder, no backup is written', async () => {
  await backUp(NIGHT, { QAL_BACKUP_DIR: '' });
  expect(await readJobs(database.write)).toEqual(new Map());
});

// conformance: beyond.backups-happen
test('a missing folder is reported, and the backup is retried after an hour', async () => {
  await rm(folder, { recursive: true });
  const failed = await backUp(NIGHT);
  expect(failed.finding).toMatchObject({
    state: 'warning',
    brief: 'none yet; the last run failed',
    about: `There is no backup yet. The folder ${folder} (QAL_BACKUP_DIR) does not exist. Mount its disk, or create it for the account that runs this program.`,
  });
  expect(failed.errors).toMatchObject([{ msg: 'A backup, its copy or its rehearsal failed.' }]);
  await mkdir(folder);
  expect((await backUp(later(0.5 / 24))).finding.state).toBe('warning');
  expect((await backUp(later(1 / 24))).finding).toMatchObject({ state: 'fine' });
});

// conformance: beyond.backups-happen
test.each<[number, string, string]>([
  [1.9, 'fine', 'the last is 1 day old'],
  [2, 'warning', 'the last is 2 days old'],
  [6.9, 'warning', 'the last is 6 days old'],
  [7, 'failing', 'the last is 7 days old'],
])('after %d days, the health check is %s', async (days, state, brief) => {
  await backUp(NIGHT);
  expect(await lookAt(toolsAt(later(days)).tools)).toMatchObject({
    state,
    brief: expect.stringContaining(brief),
  });
});

// conformance: beyond.backups-happen
test('QAL_BACKUP_COMMAND receives the finished file, and its failure is reported', async () => {
  const copy = join(parent, 'copy of it.gz');
  const copied = await backUp(NIGHT, { QAL_BACKUP_COMMAND: `cp "$1" '${copy}'` });
  expect(copied.finding.state).toBe('fine');
  const [file] = await listBackups(folder);
  expect(await readFile(copy)).toEqual(await readFile(file?.path ?? ''));
  const failed = await backUp(later(1), { QAL_BACKUP_COMMAND: 'echo no route to host >&2; exit 3' });
  expect(failed.finding).toMatchObject({
    state: 'warning',
    about: expect.stringMatching(/^QAL_BACKUP_COMMAND ended with exit code 3: no route to host /),
  });
  expect(await listBackups(folder)).toHaveLength(2);
});

// conformance: beyond.backups-happen
test('a command that hangs is terminated with all its child processes when the server stops or the time limit passes', async () => {
  const pipe = join(parent, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // The shell and two other processes wait forever. One of them ignores SIGTERM.
  const command = `echo started > '${pipe}'; cat '${pipe}' & (trap '' TERM; echo >&2; cat '${pipe}') & wait`;
  const stop = new AbortController();
  const stopped = runBackupCommand({ command, file: 'a', signal: stop.signal });
  expect(await readFile(pipe, 'utf8')).toBe('started\n');
  stop.abort();
  await expect(stopped).rejects.toThrow('QAL_BACKUP_COMMAND was terminated by SIGTERM');
  const { signal } = new AbortController();
  const hanging = runBackupCommand({
    command: 'while :; do read x; done < /dev/zero',
    file: 'a',
    signal,
    timeoutMs: 1,
  });
  await expect(hanging).rejects.toThrow('QAL_BACKUP_COMMAND had not finished after 12 hours');
}, 30_000);

// conformance: beyond.backups-happen
test('the end of long output is reported', async () => {
  const { signal } = new AbortController();
  const command = 'yes | head -c 5000000; echo no space left; exit 3';
  await expect(runBackupCommand({ command, file: 'a', signal })).rejects.toThrow(
    /^QAL_BACKUP_COMMAND ended with exit code 3: [y\n]{1,500}no space left The backup a is complete/,
  );
});

// conformance: beyond.backups-happen
test('stopping the program is not reported as a failure, and the next run removes the remains of a killed program', async () => {
  await writeFile(join(folder, `${backupName(NIGHT)}.${randomUUID()}.part`), 'unfinished');
  const stop = new AbortController();
  const { tools, logged } = toolsAt(NIGHT, {}, stop.signal);
  await backUpIfDue({ ...tools, onProgress: () => stop.abort() });
  expect(logged).toEqual([]);
  expect((await readJobs(database.write)).get('backup')).toMatchObject({ fault: null, succeededAt: null });
  expect(await readdir(folder)).toEqual([]);
});

// conformance: beyond.backups-happen
test('after a clock that was wrong by years is corrected, backups continue, and their age is correct', async () => {
  await backUp(later(2000));
  expect((await backUp(NIGHT)).finding.brief).toMatch(/^the last is 0 days old/);
  expect(await listBackups(folder)).toHaveLength(2);
  expect((await lookAt(toolsAt(later(3)).tools)).brief).toMatch(/^the last is 3 days old/);
});

// conformance: beyond.backups-happen
test('the remains of a killed rehearsal are removed, even if its database no longer starts', async () => {
  const cluster = join(dataDir, 'rehearsal', 'postgres');
  await mkdir(cluster, { recursive: true });
  await writeFile(join(cluster, 'postmaster.pid'), 'not finished');
  await backUp(NIGHT, { QAL_BACKUP_DIR: '' });
  expect(await readdir(dataDir)).toEqual([]);
});

// conformance: beyond.backups-happen
test('a database that terminates idle transactions does not interrupt a job', async () => {
  const write = {
    transaction: (work: (transaction: Knex.Transaction) => Promise<boolean>) =>
      database.write.transaction(async (transaction) => {
        await transaction.raw(`SET LOCAL idle_in_transaction_session_timeout = '1s'`);
        return work(transaction);
      }),
  } as unknown as Knex;
  const isIdle = async () => {
    const { rows } = await database.write.raw<{ rows: { idle: boolean }[] }>(
      `SELECT bool_or(state = 'idle in transaction' AND clock_timestamp() - state_change > interval '1.5 s') AS idle
         FROM pg_stat_activity WHERE datname = current_database()`,
    );
    return rows[0]?.idle === true;
  };
  const work = async () => {
    await until(isIdle);
    return true;
  };
  expect(await runAlone(write, 'idle', work)).toBe(true);
});

// conformance: beyond.backups-happen
test('only one of several servers writes a backup', async () => {
  const { tools } = toolsAt(NIGHT);
  await Promise.all([backUpIfDue(tools), backUpIfDue(tools), backUpIfDue(tools)]);
  expect(await listBackups(folder)).toHaveLength(1);
  let runs = 0;
  const job = { write: database.write, clock: () => NIGHT, signal: new AbortController().signal };
  const work = async () => {
    runs += 1;
    await runJob(
      job,
      'one',
      () => true,
      async () => {
        runs += 1;
      },
    );
  };
  await runJob(job, 'one', () => true, work);
  expect(runs).toBe(1);
});

// conformance: beyond.backups-happen
test('the command writes a backup immediately, and rehearses it in a temporary database', async () => {
  const run = (...args: readonly string[]) =>
    runCommand({ database, dataDir, environment: environmentOf(), clock: () => NIGHT }, ['backup', ...args]);
  expect((await run('--rehearse')).err).toBe(`${folder} has no backup yet.\n`);
  const written = await run();
  const day = NIGHT.toISOString().slice(0, 10);
  expect(written).toMatchObject({ code: 0, err: expect.stringMatching(`^Wrote .*qal-${day}T.*Z\\.gz: `) });
  const rehearsed = await run('--rehearse');
  expect(rehearsed.err).toMatch(
    /^Restored .*: [\d,]+ rows\. Answers that are the same as in the backup: 10\.\n$/m,
  );
  expect(rehearsed.code).toBe(0);
  expect(await readdir(dataDir)).toEqual([]);
  expect((await run('--verify')).out).toMatch(/It is complete\.\n$/);
});

// conformance: beyond.backups-happen
test('a rehearsal detects an answer that differs, and the schedule reports it', async () => {
  const { finding, jobs } = await backUp(NIGHT, { QAL_BACKUP_REHEARSAL: 'on' });
  expect(finding.state).toBe('fine');
  expect(jobs.get('backup rehearsal')).toMatchObject({ fault: null, succeededAt: NIGHT });
  const [file] = await listBackups(folder);
  const text = gunzipSync(await readFile(file?.path ?? '')).toString();
  const [header = ''] = text.split('\n', 1);
  const wrong = header.replace(/"visitors":\{"demo":"\w+"/, '"visitors":{"demo":"0"');
  expect(wrong).not.toBe(header);
  const body = text.replace(header, wrong);
  const lines = body.slice(0, body.lastIndexOf('{"rows"'));
  const sha256 = createHash('sha256').update(lines).digest('hex');
  const path = join(parent, 'wrong.gz');
  await writeFile(path, gzipSync(body.replace(/"sha256":"\w+"\}\n$/, `"sha256":"${sha256}"}\n`)));
  const run = await runCommand({ database, dataDir, environment: environmentOf() }, [
    'backup',
    '--rehearse',
    path,
  ]);
  expect(run).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'the answer to "visitors" for demo differs from the answer at the time of the backup.',
    ),
  });
  expect(await readdir(dataDir)).toEqual([]);
  expect(await lookAt(toolsAt(NIGHT).tools)).toMatchObject({
    state: 'warning',
    about: expect.stringContaining('the answer to "visitors" for demo differs'),
  });
});
