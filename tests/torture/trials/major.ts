// Kills upgrades of the embedded PostgreSQL to its next major version, at each stage.
import { execFile } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { answersTo } from '../../../db/backup/backup-format';
import { startEmbeddedServer } from '../../../db/embedded/server';
import { BACKUP_QUESTIONS } from '../../../extension/data/storage/backup-questions';
import type { Dice } from '../../language/interpreter/random/dice';
import { startProgram } from '../../support/program-process';
import { createInstallation, PROGRAM } from '../installation';
import { isRaw } from '../is-raw';
import type { Report, Trial } from '../trial';

const OLD = 15;
const OLD_BINARIES = `/usr/lib/postgresql/${OLD}/bin`;
const VIEWS = 1_000_000;

/** The log lines that end each stage. The first stage begins when the process starts, and the last one ends when it exits. */
const STAGE_ENDS = [/Upgrading the database/, /Wrote a backup/, /rows in every table/] as const;

export const major: Trial = {
  name: 'major',
  title:
    'After an upgrade of a million views from PostgreSQL 15 to the next embedded version is killed at any moment, with or without its servers, the old database or the new one is complete, and the next start finishes the upgrade',
  tries: 20,
  async run(dice, report, { tries }) {
    const template = await createInstallation({ PG_BINDIR: OLD_BINARIES });
    try {
      // PostgreSQL 15 does not run in a folder that its account cannot enter.
      await mkdir(template.dataDir);
      for (const folder of [dirname(template.dataDir), template.dataDir]) await chmod(folder, 0o755);
      const filled = await template.run(['demo', '--views', String(VIEWS)]);
      if (filled.code !== 0) throw new Error(`The demo was not loaded: ${filled.err}`);
      const expected = await describeData(template.dataDir, OLD_BINARIES);
      const dataDir = join(dirname(template.dataDir), 'upgraded');
      await copyInto(dataDir, template.dataDir);
      const durations = await upgradeOnce(dataDir, expected, report);
      report.note(`an upgrade took ${Math.round(durations.reduce((sum, ms) => sum + ms, 0) / 1000)} s`);
      const states = new Map<string, number>();
      for (let number = 0; number < tries; number++) {
        await copyInto(dataDir, template.dataDir);
        report.tried();
        const stage = number % durations.length;
        const state = await killDuring(stage, durations[stage] ?? 0, dataDir, dice);
        states.set(state, (states.get(state) ?? 0) + 1);
        const about = (what: string) => `killed in stage ${stage + 1} (database state: ${state}): ${what}`;
        const settled = {
          ...report,
          fault: (...[kind, what]: Parameters<Report['fault']>) => report.fault(kind, about(what)),
        };
        if (state === 'old' && dice.chance(2)) await expectData(dataDir, expected, settled, OLD_BINARIES);
        await upgradeOnce(dataDir, expected, settled);
      }
      report.note(
        [...states].map(([state, count]) => `killed ${count} times (database state: ${state})`).join(', '),
      );
    } finally {
      await template.remove();
    }
  },
};

async function copyInto(dataDir: string, from: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true });
  // cp keeps the owner; Node.js does not.
  await promisify(execFile)('cp', ['-a', from, dataDir]);
}

const startUpgrade = (dataDir: string) =>
  startProgram([PROGRAM, 'migrate'], { DATA_DIR: dataDir }, { detached: true });

/** Returns the duration of each stage in milliseconds. */
async function upgradeOnce(dataDir: string, expected: Data, report: Report): Promise<readonly number[]> {
  const program = startUpgrade(dataDir);
  const ends = [performance.now()];
  program.child.stderr?.on('data', () => {
    while (STAGE_ENDS[ends.length - 1]?.test(program.text.err)) ends.push(performance.now());
  });
  const code = await program.ended;
  ends.push(performance.now());
  if (code !== 0 || isRaw(program.text.err))
    report.fault('wrong', `the upgrade exited with ${code}: ${program.text.err}`);
  const found = (await readdir(dataDir))
    .filter((name) => /^postgres(-\d+)?$|^upgrade$/.test(name))
    .toSorted();
  if (found.join() !== `postgres,postgres-${OLD}`)
    report.fault('wrong', `the upgrade left ${found.join(', ')}`);
  if (processesIn(dataDir).length > 0) report.fault('wrong', 'the upgrade left a server running');
  await expectData(dataDir, expected, report);
  return ends.slice(1).map((end, index) => end - (ends[index] ?? 0));
}

/** Kills the process group at a random moment during a stage. Returns the state of the database afterwards. */
async function killDuring(stage: number, duration: number, dataDir: string, dice: Dice): Promise<string> {
  const program = startUpgrade(dataDir);
  const begin = STAGE_ENDS[stage - 1];
  const hasBegun = () => begin === undefined || begin.test(program.text.err);
  let hasEnded = false;
  program.ended.finally(() => {
    hasEnded = true;
  });
  while (!hasBegun() && !hasEnded) await pause(1);
  await pause((duration * dice.below(1000)) / 1000);
  if (program.child.pid !== undefined && !hasEnded) process.kill(-program.child.pid, 'SIGKILL');
  await program.ended;
  // Simulates a power failure.
  if (dice.chance(2)) for (const pid of processesIn(dataDir)) killIfAlive(pid);
  const names = await readdir(dataDir);
  if (!names.includes('postgres')) return 'decided';
  const version = Number(await readFile(join(dataDir, 'postgres', 'PG_VERSION'), 'utf8'));
  return version === OLD ? 'old' : 'new';
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

/** Returns the ids of server processes. A server and its child processes run in their cluster's folder. */
function processesIn(dataDir: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${dataDir}/`);
    } catch {
      // The process has ended.
      return false;
    }
  });
}

/** The number of rows in each table, and the answers to the backup questions for each site. */
type Data = Readonly<Record<string, string>>;

async function describeData(dataDir: string, pgBinDir?: string): Promise<Data> {
  const server = await startEmbeddedServer({ dataDir, pgBinDir, onError() {} });
  const client = new Client({ ...server.connection, ssl: false });
  try {
    await client.connect();
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('host', 'analytics', 'migrations')`,
    );
    const data: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${name}`);
      data[name] = rows[0]?.count ?? '';
    }
    for (const [question, bySite] of Object.entries(await answersTo(client, BACKUP_QUESTIONS)))
      data[question] = JSON.stringify(bySite);
    return data;
  } finally {
    await client.end();
    await server.stop();
  }
}

async function expectData(dataDir: string, expected: Data, report: Report, pgBinDir?: string): Promise<void> {
  const found = await describeData(dataDir, pgBinDir);
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)]))
    if (expected[name] !== found[name])
      report.fault('lost', `${name}: ${found[name]} instead of ${expected[name]}`);
}
