// A failing test sets the exit code of the run, although servers are stopped afterwards.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outsideEnvironment } from '../outside-environment';

const ROOT = join(__dirname, '..', '..', '..');

test('a failing test makes jest fail', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'qal-failing-'));
  try {
    await writeFile(join(folder, 'one.test.ts'), "test('fails', () => expect(1).toBe(2));\n");
    const args = [
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      '--roots',
      folder,
      '--testMatch',
      '**/*.test.ts',
    ];
    const run = new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        args,
        { cwd: ROOT, env: outsideEnvironment() },
        (_error, _out, err) =>
          resolve({ code: child.exitCode, failed: /Tests: +1 failed, 1 total/.test(err) }),
      );
    });
    expect(await run).toEqual({ code: 1, failed: true });
  } finally {
    await rm(folder, { recursive: true });
  }
});
