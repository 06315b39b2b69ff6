// A process crashes while it is using the copy. A damaged copy must not crash the server repeatedly.
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDocument } from '../../../extension/language/parse/read-document';
import { REBUILD_REQUEST } from '../../../extension/query/columns/columns-status';
import { createContext, useCaseDatabase } from '../../language/query-setup';
import { expectEqualTables, openTestColumns, type TestColumns } from '../../support/columns';
import { createMemoryLog } from '../../support/memory-log';
import { useProgram } from '../../support/program-process';
import { runWhole } from '../../support/run-whole';
import { throwawayFolder } from '../../support/throwaway-postgres';

const { database } = useCaseDatabase();
const dying = useProgram(join(__dirname, 'dying-process.ts'));
const { log, logged } = createMemoryLog();
let columns: TestColumns;
let now = new Date('2026-05-01T12:00:00Z');
/** A complete copy. Each test starts with its own duplicate. */
let pristine: string;
const makeFolder = async () => mkdtemp(join(throwawayFolder(), 'qal-crashes-'));
const open = async (folder: string) => {
  columns = await openTestColumns(database, { log, clock: () => now, folder });
};
beforeAll(async () => {
  // A copy of one site is rebuilt faster than one of three.
  await database.write('analytics.site').whereNot({ tracking_id: 'shop' }).delete();
  pristine = await makeFolder();
  await open(pristine);
  await columns.stop({ keep: true });
});
afterAll(() => rm(pristine, { recursive: true, force: true }));
beforeEach(async () => {
  logged.splice(0);
  const folder = await makeFolder();
  await cp(pristine, folder, { recursive: true });
  await open(folder);
});
afterEach(() => columns.stop());

/** Kills another process while it is using the copy. Returns whether the copy is kept. */
async function survives(work: 'read' | 'write' | 'nothing', signal: NodeJS.Signals): Promise<boolean> {
  const before = (await columns.status()).sites.map(({ copiedAt }) => copiedAt);
  expect(before).not.toEqual([]);
  const { folder } = columns;
  await columns.stop({ keep: true });
  expect((await dying.run([folder, work, signal])).code).toBeNaN();
  await open(folder);
  const { sites } = await columns.status();
  return sites.some(({ copiedAt }) => before.includes(copiedAt));
}

const QUERY = JSON.stringify({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-04-01T00:00:00', end: '2026-09-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } } },
  result: { use: 'v' },
});
const ask = async () =>
  (await runWhole(readDocument(QUERY), await createContext(database, { columns }))).answeredBy;

const CRASHED_TWICE =
  'The server crashed twice within a day while it was reading the columnar copy. Queries are answered from rows until you run "qal columns rebuild".';

// conformance: beyond.column-copy-ends
test('a copy is discarded after a crash while reading; after a second crash within a day, queries are answered from rows until a user intervenes', async () => {
  expect(await survives('read', 'SIGSEGV')).toBe(false);
  expect(logged.map(({ msg }) => msg)).toEqual([
    'The previous server process exited while it was reading the columnar copy. The copy may be damaged and is discarded.',
  ]);
  await expectEqualTables(database, columns);
  expect(await ask()).toMatchObject({ engine: 'columns' });

  now = new Date(now.getTime() + 23 * 3_600_000);
  expect(await survives('read', 'SIGKILL')).toBe(false);
  expect(await ask()).toEqual({ engine: 'rows', because: CRASHED_TWICE });
  expect(await columns.status()).toMatchObject({
    state: 'unavailable',
    reason: CRASHED_TWICE,
    obstacle: 'crashed',
  });
  // The next process also answers from rows.
  const { folder } = columns;
  await columns.stop({ keep: true });
  now = new Date(now.getTime() + 48 * 3_600_000);
  await open(folder);
  expect(await ask()).toEqual({ engine: 'rows', because: CRASHED_TWICE });

  await writeFile(join(folder, REBUILD_REQUEST), '');
  await columns.refresh();
  expect(await ask()).toMatchObject({ engine: 'columns' });
  await expectEqualTables(database, columns);
});

test('if two crashes are more than a day apart, each of them only causes the copy to be discarded', async () => {
  expect(await survives('read', 'SIGSEGV')).toBe(false);
  now = new Date(now.getTime() + 25 * 3_600_000);
  expect(await survives('read', 'SIGSEGV')).toBe(false);
  expect(await ask()).toMatchObject({ engine: 'columns' });
});

// conformance: beyond.column-copy-ends
test('the copy is kept if a process is killed while it is not reading', async () => {
  expect(await survives('nothing', 'SIGKILL')).toBe(true);
  expect(logged).toEqual([]);
});

test('the copy is kept if a process exits while reading, as after a second Ctrl-C', async () => {
  const { folder } = columns;
  const [before] = (await columns.status()).sites;
  await columns.stop({ keep: true });
  expect((await dying.run([folder, 'read', 'exit'])).code).toBe(130);
  await open(folder);
  expect((await columns.status()).sites[0]?.copiedAt).toEqual(before?.copiedAt);
  expect(logged).toEqual([]);
});

test('the copy is kept if a process is killed during a refresh, and discarded the second time in a row', async () => {
  expect(await survives('write', 'SIGKILL')).toBe(true);
  // A successful refresh resets the count of crashes.
  await database.write('analytics.site_version').increment('data_version');
  await columns.refresh();
  expect(await survives('write', 'SIGKILL')).toBe(true);
  const { folder } = columns;
  await columns.stop({ keep: true });
  await dying.run([folder, 'write', 'SIGKILL']);
  await dying.run([folder, 'write', 'SIGKILL']);
  await open(folder);
  expect(logged.map(({ msg }) => msg)).toEqual([
    'The previous server process exited while it was writing the columnar copy. The copy may be damaged and is discarded.',
  ]);
  await expectEqualTables(database, columns);
});

test('a copy is not opened again after a crash while it was being opened', async () => {
  const { folder } = columns;
  await columns.stop({ keep: true });
  await writeFile(join(folder, 'opening'), 'another process');
  await open(folder);
  expect(logged).toMatchObject([
    { msg: expect.stringContaining('exited while it was opening the columnar copy') },
  ]);
  await expectEqualTables(database, columns);
});

test('no mark is left after a clean stop', async () => {
  await ask();
  await columns.stop({ keep: true });
  for (const mark of ['opening', 'reading', 'writing'])
    expect(existsSync(join(columns.folder, mark))).toBe(false);
  await open(columns.folder);
  expect(logged).toEqual([]);
});
