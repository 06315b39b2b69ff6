// bin/qal finds its package from any folder, keeps the package's bytecode, and explains how to build the package.
import { execFile } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM } from '../../host-shim/extension-api';
import { defaultDataDir } from '../../host-shim/server/host-settings';
import { useFolder } from '../support/use-folder';

const run = promisify(execFile);

const folder = useFolder();
beforeEach(() => {
  mkdirSync(join(folder, 'package/bin'), { recursive: true });
  cpSync(PROGRAM, join(folder, 'package/bin/qal'));
  symlinkSync(join(folder, 'package/bin/qal'), join(folder, 'link'));
});

function writeProgram(text: string): void {
  const built = join(folder, 'package/dist/host-shim/cli');
  mkdirSync(built, { recursive: true });
  writeFileSync(join(built, 'qal.js'), text);
}

// conformance: beyond.commands-work-beside
test("a symbolic link runs its package's program in the caller's working directory", async () => {
  writeProgram('console.log(process.cwd(), process.argv.slice(2).join(" "))');
  const { stdout } = await run(join(folder, 'link'), ['users', 'list'], { cwd: '/' });
  expect(stdout).toBe('/ users list\n');
});

test('bytecode is kept where only the account that owns the package can read and write it', async () => {
  writeProgram('');
  await run(join(folder, 'link'));
  const kept = join(folder, 'package/dist/.bytecode');
  const paths = readdirSync(kept, { recursive: true, encoding: 'utf8' }).map((name) => join(kept, name));
  expect(paths.length).toBeGreaterThan(1);
  expect([kept, ...paths].filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test : test.skip)('no bytecode is kept in the package of another account', async () => {
  writeProgram('console.log("started")');
  const built = join(folder, 'package/dist');
  chownSync(built, 1, 1);
  expect(await run(join(folder, 'link'))).toEqual({ stdout: 'started\n', stderr: '' });
  expect(readdirSync(built)).toEqual(['host-shim']);
});

test('the message for a package that is not built explains how to build it', async () => {
  await expect(run(join(folder, 'link'), [])).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `qal is not built yet. Build it with: make -C '${join(folder, 'package')}' build\n`,
  });
});

test.each([
  ['/opt/qal', '/opt/qal/data'],
  ['/home/ann/.npm/_npx/0a1b/node_modules/qal-analytics', '/home/ann/.local/share/qal-analytics'],
])('by default, a program in %s stores its data in %s', (program, expected) => {
  expect(defaultDataDir(program, () => '/home/ann')).toBe(expected);
});
