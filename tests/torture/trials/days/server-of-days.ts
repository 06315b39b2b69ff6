// The trial's installation: a server with hourly imports, a process that follows a log, daily backups and alarms, all on a clock
// that the trial moves. Processes that end are restarted, as a service manager would do.
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramProcess } from '../../../support/program-process';
import { sendRequest } from '../../../support/send-request';
import { basicHeader } from '../../../support/test-host';
import { type AlarmReceiver, startAlarmReceiver } from '../../alarm-receiver';
import { createInstallation, type Installation, type Server } from '../../installation';
import { createMovedClock, type MovedClock } from '../../moved-clock';

export const RETENTION_DAYS = 7;
/** The number of views per hour in each file and in the log. */
export const VIEWS_AN_HOUR = 40;
export const LINES_AN_HOUR = 10;

/** Files are imported into `shop` every hour, and into `desk` twice. The log is imported into `blog`. */
const SITES = `sites:
  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC, retention_days: ${RETENTION_DAYS} }
  - { tracking_id: desk, domain: desk.example, name: Desk, timezone: UTC }
  - { tracking_id: blog, domain: blog.example, name: Blog, timezone: UTC }
`;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export interface ServerOfDays {
  readonly clock: MovedClock;
  readonly alarms: AlarmReceiver;
  readonly installation: Installation;
  readonly backupDir: string;
  /** While this file exists, the command that copies backups fails. */
  readonly copyFault: string;
  server: Server;
  follower: ProgramProcess;
  readonly authorization: string;
  readonly log: string;
  remove(): Promise<void>;
}

export async function startServerOfDays(): Promise<ServerOfDays> {
  const clock = await createMovedClock();
  const alarms = await startAlarmReceiver();
  const installation = await createInstallation(clock.environment);
  const remove = async () => {
    await installation.remove();
    await alarms.stop();
    await clock.remove();
  };
  try {
    const folder = join(installation.dataDir, '..');
    const backupDir = join(folder, 'backups');
    const copyFault = join(folder, 'copy-fault');
    const log = join(folder, 'access.log');
    await mkdir(backupDir);
    await writeFile(log, '');
    const environment = {
      ...alarms.environment,
      QAL_BACKUP_DIR: backupDir,
      QAL_BACKUP_COMMAND: `test ! -e ${copyFault}`,
    };
    const serving: Installation = {
      ...installation,
      serve: () => installation.serve(environment),
    };
    const server = await serving.serve();
    const password = ['passwords', 'create', 'admin', '--name', 'trial', '--level', 'import'];
    const created = await installation.run(password);
    const sites = await installation.run(['sites', 'apply', '-'], {}, SITES);
    if (created.code !== 0 || sites.code !== 0) throw new Error(`${created.err}${sites.err}`);
    const authorization = basicHeader({ login: 'admin', secret: created.out.trim() });
    const follower = follow(installation, log);
    const one = { clock, alarms, installation: serving, backupDir, copyFault, log, authorization, remove };
    return { ...one, server, follower };
  } catch (error) {
    await remove();
    throw error;
  }
}

const follow = (installation: Installation, log: string): ProgramProcess =>
  installation.start(['import', 'allpv', '--site', 'blog', '--follow', '--on-error', 'skip', log]);

/** Restarts the server, the follower or both if they have ended. */
export async function revive(one: ServerOfDays): Promise<void> {
  const { server, follower, installation, log } = one;
  if (hasEnded(server)) one.server = await installation.serve();
  if (hasEnded(follower)) one.follower = follow(installation, log);
}

const hasEnded = ({ child }: ProgramProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Returns the HTTP status. */
export async function importByHttp(
  { server, authorization }: ServerOfDays,
  site: string,
  rows: readonly object[],
): Promise<number> {
  const { status } = await sendRequest({
    method: 'POST',
    url: `${server.url}/wp-json/qal-data/v1/import/allpv?${new URLSearchParams({ site })}`,
    headers: [['Authorization', authorization]],
    body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  });
  return status;
}

export const viewsOfHour = (hour: number, start: Date): readonly object[] =>
  Array.from({ length: VIEWS_AN_HOUR }, (_, index) => ({
    pv_id: hour * VIEWS_AN_HOUR + index + 1,
    url: `https://shop.example/${index % 20}`,
    access_time: new Date(start.getTime() + index * 30_000).toISOString(),
    original_id: `visitor ${hour} ${index % 10}`,
  }));

export async function growLog({ log }: ServerOfDays, hour: number, start: Date): Promise<void> {
  const lines = Array.from({ length: LINES_AN_HOUR }, (_, index) => {
    const at = new Date(start.getTime() + index * 30_000);
    const two = (value: number) => String(value).padStart(2, '0');
    const day = `${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}`;
    const time = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
    return `203.0.113.${index} - - [${day}:${time} +0000] "GET /${hour}/${index} HTTP/1.1" 200 5 "-" "${BROWSER}"\n`;
  });
  await appendFile(log, lines.join(''));
}
