// A month in the life of one server, on an accelerated clock.
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dice } from '../../../language/interpreter/random/dice';
import { createInstallation } from '../../installation';
import { isRaw } from '../../is-raw';
import type { Report, Trial } from '../../trial';
import { killVictim, type Victim } from '../kill/victims';
import {
  growLog,
  importByHttp,
  LINES_AN_HOUR,
  RETENTION_DAYS,
  revive,
  type ServerOfDays,
  startServerOfDays,
  VIEWS_AN_HOUR,
  viewsOfHour,
} from './server-of-days';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PATIENCE_MS = 120_000;
const BACKUP_HOUR = 3;
const KILL_HOUR = 12;
/** Every seven days, the next of these is killed. `job` is the process that follows the log. */
const VICTIMS: readonly Victim[] = ['server', 'database', 'job', 'all'];

interface Cause {
  readonly from: number;
  readonly until: number;
  readonly check: string;
  readonly preventsBackup?: true;
  begin(one: ServerOfDays): Promise<unknown>;
  end(one: ServerOfDays): Promise<unknown>;
}

/** The days on which the site `desk` receives a bad file and then a corrected one. */
const DESK_FILE_DAYS = { bad: 16, corrected: 17 } as const;
const DESK_VIEWS = 3;

/** Problems that begin on one day and end on another, half an hour before the backup. */
const CAUSES: readonly Cause[] = [
  {
    check: 'Backup',
    from: 9,
    until: 10,
    preventsBackup: true,
    begin: ({ backupDir }) => rename(backupDir, `${backupDir}.away`),
    end: ({ backupDir }) => rename(`${backupDir}.away`, backupDir),
  },
  {
    check: 'Imports',
    from: DESK_FILE_DAYS.bad,
    until: DESK_FILE_DAYS.corrected,
    begin: (one) => importByHttp(one, 'desk', [{ url: 'https://desk.example/', access_time: 'never' }]),
    end: (one) => importByHttp(one, 'desk', viewsOfHour(0, one.clock.now()).slice(0, DESK_VIEWS)),
  },
  {
    check: 'Backup',
    from: 20,
    until: 21,
    begin: ({ copyFault }) => writeFile(copyFault, ''),
    end: ({ copyFault }) => rm(copyFault),
  },
];

/** This check fails because the database's clock is not moved. */
const CLOCK_CHECK = 'Clocks';

interface Month {
  readonly one: ServerOfDays;
  readonly dice: Dice;
  readonly report: Report;
  /** The beginning of the first day. */
  readonly start: Date;
  /** Names of the backups that have been restored. */
  readonly restored: Set<string>;
}

export const days: Trial = {
  name: 'days',
  title:
    'Over 30 days on a server with hourly imports, a followed log, retention, daily backups, a restart a day and a kill a week, no row is lost, every backup can be restored, and alarms are sent for exactly the problems that were caused',
  tries: 30,
  async run(dice, report, { tries }) {
    const one = await startServerOfDays();
    try {
      const now = one.clock.now().getTime();
      const start = new Date(now - (now % DAY_MS) + DAY_MS);
      const restored = new Set<string>();
      const month = { one, dice, report, start, restored };
      // The first backup was written when the server started, before there were any sites.
      if (!(await waitFor(async () => (await newBackups(month)).length > 0)))
        throw new Error('No backup was written at the start.');
      for (const name of await newBackups(month)) restored.add(name);
      for (let day = 1; day <= tries; day++) {
        report.tried();
        const fault: Report['fault'] = (kind, what) => report.fault(kind, `day ${day}: ${what}`);
        await liveOneDay({ ...month, report: { ...report, fault } }, day);
      }
      report.note(`${restored.size} backups restored; alarms: ${one.alarms.received.join(', ')}`);
    } finally {
      await one.remove();
    }
  },
};

async function liveOneDay(month: Month, day: number): Promise<void> {
  const { one, report, start } = month;
  const received = one.alarms.received.length;
  const hasBackup = !CAUSES.some(({ from, preventsBackup }) => from === day && preventsBackup === true);
  for (let hour = 0; hour < 24; hour++) {
    const number = (day - 1) * 24 + hour;
    const begin = new Date(start.getTime() + number * HOUR_MS);
    await one.clock.moveTo(begin);
    if (hour === BACKUP_HOUR && hasBackup) await restoreNewBackup(month, viewsInBackup(day));
    await one.clock.moveTo(new Date(begin.getTime() + HOUR_MS / 2));
    const rows = viewsOfHour(number, begin);
    await growLog(one, number, begin);
    const isKilled = hour === KILL_HOUR && day % 7 === 0;
    const status = await (isKilled ? importAndKill(month, day, rows) : importByHttp(one, 'shop', rows));
    if (status !== 200) report.fault('wrong', `the import of hour ${hour} was answered with ${status}`);
    if (hour === BACKUP_HOUR - 1) {
      await waitForLog(month, number);
      for (const cause of CAUSES) {
        if (cause.from === day) await cause.begin(one);
        if (cause.until === day) await cause.end(one);
      }
    }
  }
  await waitForLog(month, day * 24 - 1);
  await expectViews(month, day);
  expectAlarms(month, day, one.alarms.received.slice(received));
  await restart(month);
}

/** Returns the number of views, across all sites, that this day's backup should contain. */
const viewsInBackup = (day: number): number =>
  shopViewsAt(day, BACKUP_HOUR) +
  ((day - 1) * 24 + BACKUP_HOUR) * LINES_AN_HOUR +
  (day < DESK_FILE_DAYS.corrected ? 0 : DESK_VIEWS);

const shopViewsAt = (day: number, hour: number): number =>
  (Math.min(day - 1, RETENTION_DAYS) * 24 + hour) * VIEWS_AN_HOUR;

/** Kills a process during the import, waits until everything works again, and repeats the import. */
async function importAndKill(
  { one, dice, report }: Month,
  day: number,
  rows: readonly object[],
): Promise<number> {
  const { server, follower, installation } = one;
  const importing = importByHttp(one, 'shop', rows).catch(() => undefined);
  await pause(dice.below(100));
  const victim = VICTIMS[(day / 7 - 1) % VICTIMS.length] ?? 'all';
  killVictim(victim, { server }, follower, await installation.postmasterPid(), dice);
  await importing;
  const isReady = async () => {
    await revive(one);
    return fetch(`${one.server.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  if (!(await waitFor(isReady))) report.fault('unanswered', `not ready after ${victim} was killed`);
  return importByHttp(one, 'shop', rows);
}

/** Returns whether the condition holds within PATIENCE_MS. */
async function waitFor(holds: () => Promise<boolean>): Promise<boolean> {
  for (const before = performance.now(); performance.now() - before < PATIENCE_MS; await pause(50))
    if (await holds()) return true;
  return false;
}

/** Waits until the log is stored up to this hour. The process that follows it may have ended together with the database. */
async function waitForLog({ one, report }: Month, hour: number): Promise<void> {
  const expected = (hour + 1) * LINES_AN_HOUR;
  const isStored = async () => {
    await revive(one);
    return (await storedViews(one)).blog >= expected;
  };
  if (await waitFor(isStored)) return;
  report.fault('lost', `${(await storedViews(one)).blog} of ${expected} lines of the log are stored`);
}

async function storedViews({ installation }: ServerOfDays): Promise<{ shop: number; blog: number }> {
  const rows = await installation.sql<{ site: string; views: number }>(
    `SELECT tracking_id AS site, count(*)::int AS views FROM analytics.page_view JOIN analytics.site USING (site_id) GROUP BY 1`,
  );
  const of = (site: string) => rows.find((row) => row.site === site)?.views ?? 0;
  return { shop: of('shop'), blog: of('blog') };
}

/** Compares the stored views with the expected ones at the end of a day. */
async function expectViews({ one, report }: Month, day: number): Promise<void> {
  const expected = { shop: shopViewsAt(day, 24), blog: day * 24 * LINES_AN_HOUR };
  const stored = await storedViews(one);
  for (const site of ['shop', 'blog'] as const)
    if (stored[site] !== expected[site])
      report.fault(
        stored[site] < expected[site] ? 'lost' : 'duplicated',
        `${stored[site]} views of ${site} are stored, not ${expected[site]}`,
      );
}

const COUNT = JSON.stringify({
  tracking_id: 'all',
  materials: [{ name: 'allpv' }],
  time: { start: '2020-01-01T00:00:00', end: '2100-01-01T00:00:00', tz: 'UTC' },
  make: { total: { from: ['allpv'], keep: [], calc: { views: 'COUNT(allpv.pv_id)' } } },
  result: { use: 'total' },
});

const newBackups = async ({ one, restored }: Month): Promise<readonly string[]> =>
  (await readdir(one.backupDir)).filter((name) => name.endsWith('.gz') && !restored.has(name));

/** Waits for a backup, restores it into another installation, and counts the views there. */
async function restoreNewBackup(month: Month, expected: number): Promise<void> {
  const { one, restored, report } = month;
  if (!(await waitFor(async () => (await newBackups(month)).length > 0)))
    return report.fault('unanswered', 'no backup was written');
  const [name = ''] = await newBackups(month);
  restored.add(name);
  const other = await createInstallation();
  try {
    const restoring = await other.run(['restore', join(one.backupDir, name)]);
    const counted = await other.run(['query', '--format', 'csv', '-'], {}, COUNT);
    const views = Number(counted.out.trim().split('\n').at(-1));
    if (restoring.code !== 0 || counted.code !== 0)
      report.fault('wrong', `${name} was not restored: ${restoring.err}${counted.err}`);
    else if (views !== expected) report.fault('lost', `${name} has ${views} views, not ${expected}`);
  } finally {
    await other.remove();
  }
}

function expectAlarms({ report }: Month, day: number, received: readonly string[]): void {
  const expected = [
    ...(day === 1 ? [`${CLOCK_CHECK}: `] : []),
    ...CAUSES.filter(({ until }) => until === day).map(({ check }) => `${check} is fine again`),
    ...CAUSES.filter(({ from }) => from === day).map(({ check }) => `${check}: `),
  ];
  const isSame =
    received.length === expected.length &&
    received.every((alarm, place) => alarm.startsWith(expected[place] ?? '-'));
  if (!isSame) report.fault('wrong', `alarms [${received.join(', ')}], not [${expected.join(', ')}]`);
}

/** Restarts the server. The process that follows the log keeps running. */
async function restart({ one, report }: Month): Promise<void> {
  const { server } = one;
  server.child.kill('SIGTERM');
  const code = await server.ended;
  if (code !== 0) report.fault('wrong', `the server exited with ${code}: ${server.text.err}`);
  if (isRaw(server.text.err)) report.fault('wrong', `internals in a message: ${server.text.err}`);
  await revive(one);
}
