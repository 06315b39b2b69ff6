// A ledger is stored in DATA_DIR and next to the backups. A restore copies it.
import { appendFile, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carryLedgers, openLedger } from '../../host-shim/backups/ledger';
import { useFolder } from '../support/use-folder';

const dataDir = useFolder();
let backupDir: string;
beforeEach(() => {
  backupDir = join(dataDir, 'backups');
});

const NAME = 'l.ndjson';
const textIn = (folder: string) => readFile(join(folder, NAME), 'utf8');

test('every copy gets the lines that are missing from it', async () => {
  await mkdir(backupDir);
  await openLedger({ dataDir, backupDir: undefined }, NAME).add(['a', 'b']);
  const ledger = openLedger({ dataDir, backupDir }, NAME);
  expect(await ledger.add(['b', 'c'])).toEqual([]);
  expect([await textIn(dataDir), await textIn(backupDir)]).toEqual(['a\nb\n\nc\n', 'b\nc\n']);
  expect(await ledger.read()).toEqual({ lines: ['a', 'b', 'c'], faults: [] });
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test : test.skip)('copies that root creates belong to the owners of their folders', async () => {
  await mkdir(backupDir);
  await chown(backupDir, 2, 2);
  await chown(dataDir, 1, 1);
  const nested = join(dataDir, 'new/data');
  await openLedger({ dataDir: nested, backupDir }, NAME).add(['a']);
  const owners = await Promise.all(
    [dirname(nested), nested, join(nested, NAME), join(backupDir, NAME)].map(
      async (path) => (await stat(path)).uid,
    ),
  );
  expect(owners).toEqual([1, 1, 1, 2]);
});

(isRoot ? test : test.skip)('a copy in a folder that root owns keeps its owner', async () => {
  const path = join(dataDir, NAME);
  await appendFile(path, 'a\n');
  await chown(path, 1, 1);
  await openLedger({ dataDir, backupDir: undefined }, NAME).add(['b']);
  expect((await stat(path)).uid).toBe(1);
});

test('a line is not damaged by an incomplete line before it', async () => {
  await appendFile(join(dataDir, NAME), 'a\nunfin');
  const ledger = openLedger({ dataDir, backupDir: undefined }, NAME);
  await ledger.add(['b']);
  expect(await ledger.read()).toEqual({ lines: ['a', 'unfin', 'b'], faults: [] });
});

test('a missing backup folder is reported, and the lines are in DATA_DIR', async () => {
  const ledger = openLedger({ dataDir, backupDir }, NAME);
  const [fault, ...others] = await ledger.add(['a']);
  expect([fault?.message, others]).toEqual([`${join(backupDir, NAME)} could not be written.`, []]);
  expect(await ledger.read()).toEqual({ lines: ['a'], faults: [] });
});

test('an unreadable copy is reported, and the other one is read', async () => {
  await mkdir(join(backupDir, NAME), { recursive: true });
  const ledger = openLedger({ dataDir, backupDir }, NAME);
  await ledger.add(['a']);
  const { lines, faults } = await ledger.read();
  expect([lines, faults.map(({ message }) => message)]).toEqual([
    ['a'],
    [`${join(backupDir, NAME)} could not be read.`],
  ]);
});

test('a restore copies the ledgers that are next to the backup into DATA_DIR, even if that folder does not exist', async () => {
  await openLedger({ dataDir, backupDir: undefined }, NAME).add(['a']);
  const restored = join(dataDir, 'new/data');
  await carryLedgers([NAME, 'none'], dataDir, { dataDir: restored });
  expect(await textIn(restored)).toBe('a\n');
});
