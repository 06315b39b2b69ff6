// Backups that are encrypted with a public key: the backup folder contains only the encrypted file, which can be restored with the
// private key.
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { loadDemo } from '../../extension/data/demo/load-demo';
import { createTestDatabase, EMPTY } from '../support/database';
import { runCommand } from '../support/run-command';
import { useTestDatabase } from '../support/use-database';
import { useFolder } from '../support/use-folder';

const database = useTestDatabase({
  name: 'encrypted_backup',
  fill: async (write) => {
    await loadDemo(write, { now: new Date('2026-05-01T10:00:00Z'), views: 300, onProgress: () => {} });
  },
});
const clock = () => new Date('2026-05-02T03:00:00Z');

const parent = useFolder({ perFile: true, inMemory: true });
let folder: string;
let dataDir: string;
let key: string;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  [folder, dataDir, key] = [join(parent, 'backups'), join(parent, 'data'), join(parent, 'key.txt')];
  for (const path of [folder, dataDir]) await mkdir(path);
  const identity = await generateX25519Identity();
  const publicKey = await identityToRecipient(identity);
  await writeFile(key, `# created: 2026-05-01\n# public key: ${publicKey}\n${identity}\n`);
  environment = { QAL_BACKUP_DIR: folder, QAL_BACKUP_RECIPIENTS: publicKey };
});

const run = (...args: readonly string[]) => runCommand({ database, clock, dataDir, environment }, args);
const backupFile = async () => join(folder, (await readdir(folder))[0] ?? '');

// conformance: beyond.backups-happen
test('only the encrypted file is written, after a restore rehearsal', async () => {
  const copy = join(parent, 'copy.age');
  // Simulates a folder that a killed process left behind.
  const killed = join(dataDir, 'plain-backups', 'killed');
  await mkdir(killed, { recursive: true });
  await utimes(killed, new Date('2026-05-01T02:00:00Z'), new Date('2026-05-01T02:00:00Z'));
  environment = { ...environment, QAL_BACKUP_COMMAND: `cp "$1" '${copy}'` };
  expect(await run('backup')).toMatchObject({ code: 0, err: expect.stringContaining('Z.gz.age: ') });
  expect(await readdir(folder)).toEqual(['qal-2026-05-02T03-00-00Z.gz.age']);
  const bytes = await readFile(await backupFile());
  expect(bytes.subarray(0, 21).toString()).toBe('age-encryption.org/v1');
  expect(await readFile(copy)).toEqual(bytes);
  expect(await readdir(join(dataDir, 'plain-backups'))).toEqual([]);
  const { fault, succeeded_at } = await database
    .write('host.job')
    .where({ name: 'backup rehearsal' })
    .first();
  expect([fault, succeeded_at]).toEqual([null, clock()]);
  expect(await database.write('host.backup').pluck('bytes')).toEqual([bytes.length]);
});

// conformance: beyond.whole-installation-kept
test('a backup can be checked and restored with the private key', async () => {
  const file = await backupFile();
  expect(await run('backup', '--verify', '--identity', key)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\.gz\.age was written on .* It is complete\.\n$/),
  });
  const target = await createTestDatabase(EMPTY);
  try {
    const options = { database: target, clock, dataDir: join(parent, 'new') };
    expect(await runCommand(options, ['restore', file, '--identity', key])).toMatchObject({ code: 0 });
    expect(await readdir(join(parent, 'new', 'plain-backups'))).toEqual([]);
    const views = (write: typeof database.write) => write('analytics.page_view').orderBy('pv_id');
    expect(await views(target.write)).toEqual(await views(database.write));
  } finally {
    await target.drop();
  }
});

// conformance: beyond.backups-happen
test('nothing can be read without the right key, or if the file was changed', async () => {
  const file = await backupFile();
  expect(await run('backup', '--verify')).toMatchObject({
    code: 1,
    err: `${file} is encrypted. Specify the file with its private key: --identity key.txt\n`,
  });
  const other = join(parent, 'other.txt');
  await writeFile(other, await generateX25519Identity());
  const refusal = (name: string) =>
    expect.stringMatching(new RegExp(`^\\S+ could not be decrypted with the key in \\S+${name}: \\S`));
  expect(await run('backup', '--verify', '--identity', other)).toMatchObject({
    code: 1,
    err: refusal('other.txt'),
  });
  expect(await run('restore', file, '--identity', join(parent, 'none'))).toMatchObject({
    code: 1,
    err: refusal('none'),
  });
  const changed = join(parent, 'changed.gz.age');
  const bytes = await readFile(file);
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
  await writeFile(changed, bytes);
  expect(await run('backup', changed, '--verify', '--identity', key)).toMatchObject({
    code: 1,
    err: refusal('key.txt'),
  });
  expect(await readdir(join(dataDir, 'plain-backups'))).toEqual([]);
});
