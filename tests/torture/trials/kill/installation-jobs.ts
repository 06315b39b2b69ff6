// Jobs that change or copy a whole installation.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Dice } from '../../../language/interpreter/random/dice';
import { sendRequest } from '../../../support/send-request';
import { createInstallation } from '../../installation';
import { type Attempt, end, type Job, mustSucceed } from './job';
import { SUMMARY_QUERY, storedFiles, viewsOf, type World } from './world';

async function beginMigration({ place }: World): Promise<Attempt> {
  const elsewhere = await createInstallation({}, place);
  const program = elsewhere.start(['migrate']);
  return {
    program,
    ended: end(program),
    elsewhere,
    async settle(_outcome, report) {
      await mustSucceed(elsewhere.run(['migrate']), 'the same migration', report);
      await mustSucceed(elsewhere.run(['sites', 'list']), 'a command after the migration', report);
    },
  };
}

async function beginBackup(world: World): Promise<Attempt> {
  const { installation, folder } = world;
  const file = join(folder, 'backup');
  await rm(file, { force: true });
  const program = installation.start(['backup', file]);
  return {
    program,
    ended: end(program),
    async settle({ code }, report) {
      if (code === 0 && !existsSync(file))
        report.fault('lost', 'a backup that was reported as written is missing');
      if (existsSync(file))
        await mustSucceed(installation.run(['backup', '--verify', file]), 'the check of the backup', report);
      else await mustSucceed(installation.run(['backup', file]), 'the same backup', report);
    },
  };
}

async function beginRestore(world: World): Promise<Attempt> {
  const file = join(world.folder, 'to-restore');
  await rm(file, { force: true });
  const written = await world.installation.run(['backup', file]);
  if (written.code !== 0) throw new Error(`The backup to restore failed: ${written.err}`);
  const elsewhere = await createInstallation({}, world.place);
  const expected = storedFiles(world).reduce((sum, one) => sum + viewsOf(one), 0);
  const program = elsewhere.start(['restore', file]);
  return {
    program,
    ended: end(program),
    elsewhere,
    async settle({ code }, report) {
      const again = await elsewhere.run(['restore', file]);
      if (code === 0 && again.code === 0) report.fault('wrong', 'a second restore succeeded');
      const { out, err } = await elsewhere.run(['query', '-', '--format', 'ndjson'], {}, SUMMARY_QUERY);
      const views = out
        .split('\n')
        .filter((line) => line !== '')
        .reduce((sum, line) => sum + restoredPage.parse(JSON.parse(line)).views, 0);
      if (views !== expected)
        report.fault('lost', `restored ${views} of ${expected} views: ${again.err}${err}`);
    },
  };
}

const restoredPage = z.object({ views: z.number() });

async function beginPassword(world: World, dice: Dice): Promise<Attempt> {
  const { installation } = world;
  const stored = async () => {
    const [row] = await installation.sql<{ hash: string }>(
      `SELECT password_hash AS hash FROM host.users WHERE login = 'admin'`,
    );
    return row?.hash;
  };
  const before = await stored();
  const password = `a new password ${dice.below(2 ** 31)}`;
  const program = installation.start(['users', 'password', 'admin', '--password-stdin']);
  return {
    program,
    ended: end(program, `${password}\n`),
    async settle({ code }, report) {
      const isChanged = (await stored()) !== before;
      if (code === 0 && !isChanged) report.fault('lost', 'a changed password was lost');
      if (isChanged) world.loginPassword = password;
      if (world.loginPassword === '') return;
      const answer = await sendRequest({
        method: 'POST',
        url: `${world.server.url}/wp-login.php`,
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: new URLSearchParams({ log: 'admin', pwd: world.loginPassword }).toString(),
      });
      if (answer.status !== 303) report.fault('wrong', `the login was answered with ${answer.status}`);
    },
  };
}

export const INSTALLATION_JOBS: readonly Job[] = [
  { name: 'migrate', begin: beginMigration },
  { name: 'backup', begin: beginBackup },
  { name: 'restore', begin: beginRestore },
  { name: 'password', begin: beginPassword },
];
