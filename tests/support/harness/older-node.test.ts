// Runs the Makefile with fake node and npm commands, and the program with a version of Node that is too old.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PACKAGE_ROOT } from '../../../host-shim/extension-api';
import { outsideEnvironment } from '../outside-environment';
import { useFolder } from '../use-folder';

const outside = outsideEnvironment();
const folder = useFolder();

beforeEach(async () => {
  await addProgram('node', 'echo false');
  await writeFile(join(folder, 'show.mk'), 'show-path: ; @echo "$$PATH"\n');
});

const addProgram = (name: string, script: string) =>
  writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

const make = (target: string) =>
  spawnSync('make', ['-f', 'Makefile', '-f', join(folder, 'show.mk'), target], {
    cwd: PACKAGE_ROOT,
    env: { ...outside, PATH: [folder, outside.PATH].join(delimiter) },
    encoding: 'utf8',
  });

test("runs everything with Node 24 from npm's cache", async () => {
  await addProgram('npm', 'case "$*" in *--offline*) echo /cached/bin;; *) exit 1;; esac');
  const { stdout, stderr, status } = make('show-path');
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(stdout.split(delimiter).slice(0, 2)).toEqual(['/cached/bin', folder]);
});

test('prints a message and fetches Node 24 if it is not in the cache', async () => {
  await addProgram('npm', 'case "$*" in *--offline*) exit 1;; *) echo /fetched/bin;; esac');
  const { stdout, stderr } = make('show-path');
  expect(stdout.split(delimiter)[0]).toBe('/fetched/bin');
  expect(stderr).toBe('This Node.js is older than 22: fetching Node.js 24 with npm ...\n');
});

test('explains what to install if Node 24 cannot be fetched; help works without Node', async () => {
  await addProgram('npm', 'echo "no network" >&2; exit 1');
  const { stdout, stderr, status } = make('show-path');
  expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
  expect(stderr.trim().split('\n').at(-1)).toMatch(
    /Node\.js 22 or newer is needed, and npm could not fetch it\. Install Node\.js 24: https:\/\/nodejs\.org\./,
  );
  expect(make('help')).toMatchObject({ status: 0, stderr: '' });
});

test('the program exits with a one-line message', async () => {
  const older = join(folder, 'older.js');
  const pretend = "{ value: { ...process.versions, node: '20.20.2' } }";
  await writeFile(older, `Object.defineProperty(process, 'versions', ${pretend});`);
  const program = join(PACKAGE_ROOT, 'host-shim', 'cli', 'qal.ts');
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--require', 'tsx/cjs', '--require', older, program, 'config'],
    { cwd: PACKAGE_ROOT, env: outside, encoding: 'utf8' },
  );
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
  expect(stderr).toBe(
    'qal needs Node.js 22 or newer, but this is 20.20.2. Install Node.js 24 (https://nodejs.org), or start it with: make run\n',
  );
});
