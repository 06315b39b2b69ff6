// Jobs that change rows. Each file of views must be stored completely or not at all, and never twice.
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dice } from '../../../language/interpreter/random/dice';
import { sendRequest } from '../../../support/send-request';
import type { Report } from '../../trial';
import { type Attempt, end, type Job, mustSucceed } from './job';
import {
  originalId,
  SITE,
  storedFiles,
  storedViews,
  type ViewsFile,
  viewsOf,
  type World,
  writeFileOfViews,
} from './world';

/** The number of stored views must be `before` or `after`. If the job was reported as done, it must be `after`. */
async function expectViews(
  world: World,
  file: ViewsFile,
  { before, after }: { readonly before: number; readonly after: number },
  isDone: boolean,
  report: Report,
): Promise<number> {
  const views = await storedViews(world, file);
  const allowed = isDone ? [after] : [before, after];
  if (!allowed.includes(views)) {
    const kind = views > Math.max(before, after) ? 'duplicated' : 'lost';
    report.fault(kind, `${views} views of file ${file.number}, not ${allowed.join(' or ')}`);
  }
  return views;
}

const importArguments = ({ path }: ViewsFile) => ['import', 'allpv', '--site', SITE, path];

/** The file must be stored completely or not at all, and exactly once after it is imported again. */
function settleImport(world: World, file: ViewsFile): Attempt['settle'] {
  return async ({ code }, report) => {
    const all = viewsOf({ ...file, isStored: true });
    await expectViews(world, file, { before: 0, after: all }, code === 0, report);
    await mustSucceed(world.installation.run(importArguments(file)), 'the same import', report);
    await expectViews(world, file, { before: all, after: all }, true, report);
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
  // The undo job finds the import by this name, as it finds imports made by commands.
  const values = new URLSearchParams({ site: SITE, file: file.path });
  const upload = sendRequest({
    method: 'POST',
    url: `${world.server.url}/wp-json/qal-data/v1/import/allpv?${values}`,
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

/** The columnar copy is refreshed right after an import. */
const REFRESH_MS = 1_500;

/** The import is already done. The job is the server's refresh of its columnar copy. */
async function beginRefresh(world: World): Promise<Attempt> {
  const file = await writeFileOfViews(world);
  const outcome = await world.installation.run(importArguments(file));
  return { ended: pause(REFRESH_MS, outcome), settle: settleImport(world, file) };
}

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
  // Repeated imports must be undone newest first.
  for (const one of later.toReversed())
    if ((await installation.run(undo(one))).code !== 0) throw new Error(`Import ${one.id} cannot be undone.`);
  const program = installation.start(undo(first));
  return {
    program,
    ended: end(program),
    async settle({ code }, report) {
      const views = await expectViews(world, file, { before: viewsOf(file), after: 0 }, code === 0, report);
      if (views > 0) await mustSucceed(installation.run(undo(first)), 'the same undo', report);
      await expectViews(world, file, { before: 0, after: 0 }, true, report);
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
      const views = await expectViews(world, file, { before, after }, code === 0, report);
      if (views === before) await mustSucceed(installation.run(args), 'the same erasure', report);
      file.erased.add(visitor);
      await expectViews(world, file, { before: after, after }, true, report);
    },
  };
}

export const ROW_JOBS: readonly Job[] = [
  { name: 'import', begin: beginImport },
  { name: 'upload', begin: beginUpload },
  { name: 'refresh', begin: beginRefresh },
  { name: 'undo', begin: beginUndo },
  { name: 'erase', begin: beginErase },
];
