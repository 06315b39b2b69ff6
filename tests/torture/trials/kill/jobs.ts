// What is under way when something is killed, and what must be true afterwards, when the server runs again.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Dice } from '../../../qal/interpreter/random/dice';
import type { ProgramProcess } from '../../../support/program-process';
import { sendRequest } from '../../../support/send-request';
import { createInstallation, type Installation, type Outcome } from '../../installation';
import type { Report } from '../../trial';
import {
  originalId,
  SITE,
  SUMMARY_QUERY,
  storedViews,
  type ViewsFile,
  viewsOf,
  type World,
  writeFileOfViews,
} from './world';

/** A job under way. */
export interface Attempt {
  /** The command; undefined if it is done by the server. */
  readonly program?: ProgramProcess;
  /** Resolves at its end, whatever that was; `code` is 0 only if it was told that it is done. */
  readonly ended: Promise<Outcome>;
  /** Where its database is, if not in the world's installation. */
  readonly elsewhere?: Installation;
  /** Judges what is there afterwards, and does the job again where that must work. */
  settle(outcome: Outcome, report: Report): Promise<void>;
}

export interface Job {
  readonly name: string;
  begin(world: World, dice: Dice): Promise<Attempt>;
}

const end = (program: ProgramProcess, input = '') => {
  program.child.stdin?.end(input);
  return program.ended.then((code) => ({ code, ...program.text }));
};

/** The number of the file's views must be one of these two, and the later one if the job was told to be done. */
async function holdViews(
  world: World,
  file: ViewsFile,
  { before, after }: { readonly before: number; readonly after: number },
  isDone: boolean,
  report: Report,
): Promise<number> {
  const views = await storedViews(world, file);
  const allowed = isDone ? [after] : [before, after];
  if (!allowed.includes(views)) {
    const kind = views > Math.max(before, after) ? 'doubled' : 'lost';
    report.fault(kind, `${views} views of file ${file.number}, not ${allowed.join(' or ')}`);
  }
  return views;
}

async function mustSucceed(outcome: Promise<Outcome>, what: string, report: Report): Promise<void> {
  const { code, err } = await outcome;
  if (code !== 0) report.fault('wrong', `${what} ended with ${code}: ${err}`);
}

const importArguments = ({ path }: ViewsFile) => ['import', 'allpv', '--site', SITE, path];

/** The file is there as a whole or not at all, and imported again it is there once. */
function settleImport(world: World, file: ViewsFile): Attempt['settle'] {
  return async ({ code }, report) => {
    const all = viewsOf({ ...file, isStored: true });
    await holdViews(world, file, { before: 0, after: all }, code === 0, report);
    await mustSucceed(world.installation.run(importArguments(file)), 'the same import', report);
    await holdViews(world, file, { before: all, after: all }, true, report);
    file.isStored = true;
  };
}

async function beginImport(world: World): Promise<Attempt> {
  const file = await writeFileOfViews(world);
  const program = world.installation.start(importArguments(file));
  return { program, ended: end(program), settle: settleImport(world, file) };
}

async function beginUpload(world: World): Promise<Attempt> {
  const file = await writeFileOfViews(world);
  const upload = sendRequest({
    method: 'POST',
    url: `${world.server.url}/wp-json/qal-data/v1/import/allpv?site=${SITE}`,
    headers: [['Authorization', world.authorization]],
    body: await readFile(file.path, 'utf8'),
  });
  const ended = upload.then(
    ({ status, text }) => ({ code: status === 200 ? 0 : 1, out: text, err: '' }),
    // The server was killed.
    () => ({ code: 1, out: '', err: '' }),
  );
  return { ended, settle: settleImport(world, file) };
}

/** The copy follows an import at once. */
const REFRESH_MS = 1_500;

/** The import is over; what runs is the refresh of the column copy, in the server. */
async function beginRefresh(world: World): Promise<Attempt> {
  const file = await writeFileOfViews(world);
  const outcome = await world.installation.run(importArguments(file));
  return { ended: pause(REFRESH_MS, outcome), settle: settleImport(world, file) };
}

const storedFiles = ({ files }: World) => files.filter(({ isStored }) => isStored);

async function beginUndo(world: World): Promise<Attempt> {
  const { installation } = world;
  const file = storedFiles(world)
    .filter(({ erased }) => erased.size === 0)
    .at(-1);
  if (file === undefined) return beginImport(world);
  const imports = await installation.sql<{ id: number }>(
    `SELECT import_id AS id FROM analytics.import_run WHERE status = 'done' AND source = $1 ORDER BY 1 DESC`,
    [file.path],
  );
  const undo = ({ id }: { readonly id: number }) => ['imports', 'undo', String(id), '--yes'];
  const [first, ...later] = imports.toReversed();
  if (first === undefined) throw new Error(`The import of ${file.path} is not recorded.`);
  // It was repeated, and the newest has to be undone first.
  for (const one of later.toReversed())
    if ((await installation.run(undo(one))).code !== 0) throw new Error(`Import ${one.id} cannot be undone.`);
  const program = installation.start(undo(first));
  return {
    program,
    ended: end(program),
    async settle({ code }, report) {
      const views = await holdViews(world, file, { before: viewsOf(file), after: 0 }, code === 0, report);
      if (views > 0) await mustSucceed(installation.run(undo(first)), 'the same undo', report);
      await holdViews(world, file, { before: 0, after: 0 }, true, report);
      file.isStored = false;
    },
  };
}

async function beginErase(world: World, dice: Dice): Promise<Attempt> {
  const { installation } = world;
  const files = storedFiles(world);
  if (files.length === 0) return beginImport(world);
  const file = dice.pick(files);
  const visitor = file.erased.size;
  const args = ['visitors', 'erase', '--site', SITE, '--original-id', originalId(file, visitor), '--yes'];
  const before = viewsOf(file);
  const program = installation.start(args);
  return {
    program,
    ended: end(program),
    async settle({ code }, report) {
      const after = viewsOf({ ...file, erased: new Set([...file.erased, visitor]) });
      const views = await holdViews(world, file, { before, after }, code === 0, report);
      if (views === before) await mustSucceed(installation.run(args), 'the same erasure', report);
      file.erased.add(visitor);
      await holdViews(world, file, { before: after, after }, true, report);
    },
  };
}

async function beginMigration(): Promise<Attempt> {
  const elsewhere = await createInstallation();
  const program = elsewhere.start(['migrate']);
  return {
    program,
    ended: end(program),
    elsewhere,
    async settle(_outcome, report) {
      await mustSucceed(elsewhere.run(['migrate']), 'the same migration', report);
      await mustSucceed(elsewhere.run(['sites', 'list']), 'a command after it', report);
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
      if (code === 0 && !existsSync(file)) report.fault('lost', 'a backup that was written is not there');
      if (existsSync(file))
        await mustSucceed(installation.run(['backup', '--verify', file]), 'its check', report);
      else await mustSucceed(installation.run(['backup', file]), 'the same backup', report);
    },
  };
}

async function beginRestore(world: World): Promise<Attempt> {
  const file = join(world.folder, 'to-restore');
  await rm(file, { force: true });
  const written = await world.installation.run(['backup', file]);
  if (written.code !== 0) throw new Error(`There is no backup to restore: ${written.err}`);
  const elsewhere = await createInstallation();
  const expected = storedFiles(world).reduce((sum, one) => sum + viewsOf(one), 0);
  const program = elsewhere.start(['restore', file]);
  return {
    program,
    ended: end(program),
    elsewhere,
    async settle({ code }, report) {
      const again = await elsewhere.run(['restore', file]);
      if (code === 0 && again.code === 0) report.fault('wrong', 'it was restored twice');
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
      if (code === 0 && !isChanged) report.fault('lost', 'a changed password is the old one');
      if (isChanged) world.loginPassword = password;
      if (world.loginPassword === '') return;
      const answer = await sendRequest({
        method: 'POST',
        url: `${world.server.url}/wp-login.php`,
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: new URLSearchParams({ log: 'admin', pwd: world.loginPassword }).toString(),
      });
      if (answer.status !== 303) report.fault('wrong', `logging in was answered ${answer.status}`);
    },
  };
}

export const JOBS: readonly Job[] = [
  { name: 'import', begin: beginImport },
  { name: 'upload', begin: beginUpload },
  { name: 'refresh', begin: beginRefresh },
  { name: 'undo', begin: beginUndo },
  { name: 'erase', begin: beginErase },
  { name: 'migrate', begin: beginMigration },
  { name: 'backup', begin: beginBackup },
  { name: 'restore', begin: beginRestore },
  { name: 'password', begin: beginPassword },
];
