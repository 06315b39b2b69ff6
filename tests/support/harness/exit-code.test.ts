// Failing tests set the exit code of the run, even in later files of a worker, and even though servers are stopped afterwards.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outsideEnvironment } from '../outside-environment';

const ROOT = join(__dirname, '..', '..', '..');

/** This run has already bundled the browser modules and rendered the documentation. */
const WITHOUT_PAGES = { QAL_SECOND_SERVER: '1' };

const FAILING = `
test('fails', () => expect(1).toBe(2));
test('rejects unnoticed', async () => {
  void Promise.reject(new Error('unnoticed'));
  await new Promise(setImmediate);
});
test('throws outside of the test', async () => {
  setImmediate(() => { throw new Error('outside'); });
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
});
`;

test('jest fails if tests fail in any file of a worker', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'qal-failing-'));
  try {
    for (const name of ['one', 'two']) await writeFile(join(folder, `${name}.test.ts`), FAILING);
    const args = [
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      '--runInBand',
      '--roots',
      folder,
      '--testMatch',
      '**/*.test.ts',
    ];
    const run = new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        args,
        { cwd: ROOT, env: { ...outsideEnvironment(), ...WITHOUT_PAGES } },
        (_error, _out, err) =>
          resolve({ code: child.exitCode, failed: /Tests: +6 failed, 6 total/.test(err) }),
      );
    });
    expect(await run).toEqual({ code: 1, failed: true });
  } finally {
    await rm(folder, { recursive: true });
  }
});
