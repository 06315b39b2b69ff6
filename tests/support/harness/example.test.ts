// The examples in the how-to "Test a client" run in a separate package in which ours is installed.
import { join } from 'node:path';
import { blocksOf } from '../../docs/fenced-blocks';
import { type BorrowedServer, borrowServer } from '../borrow-server';
import { createOutsidePackage, type OutsidePackage } from './outside-package';

const examples = new Map(
  blocksOf('docs/how-to/test-a-client.md', 'js').map(({ text }) => [
    /^\/\/ (\S+)\n/.exec(text)?.[1] ?? '',
    text,
  ]),
);

let borrowed: BorrowedServer;
let outside: OutsidePackage;
beforeAll(async () => {
  borrowed = await borrowServer();
  outside = await createOutsidePackage();
  for (const [file, text] of examples) outside.write(file, text);
});
afterAll(async () => {
  outside.remove();
  await borrowed.giveBack();
});

test('every example starts with the name of its file', () => {
  expect([...examples.keys()]).toEqual(['most-read.mjs', 'most-read.test.mjs', 'limits.test.js']);
});

test('the package contains only the program, the types of the testing interface, and the test support that it uses', () => {
  const files = outside.installedFiles();
  expect(files).toEqual(
    expect.arrayContaining(['README.md', 'LICENSE', 'bin/qal', 'dist/host-shim/cli/qal.js']),
  );
  expect(files.length).toBeLessThan(1_250);
  const unwanted =
    /\.map$|\.test\.js$|^dist\/(bench|tests\/(?!support))|^dist\/(manifests|extension\/(data|language|query|pages))\/.*\.d\.ts$/;
  expect(files.filter((file) => unwanted.test(file))).toEqual([]);
});

test('the client can be tested with node --test', async () => {
  const { code, output } = await outside.node('--test', 'most-read.test.mjs');
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/\bpass 2\n.*\bfail 0\n/s) });
});

const NEEDS_SUPERTEST =
  'Sending requests to a test host requires the package supertest: npm install --save-dev supertest';

test('without supertest, a host can be started, but sending requests fails with a message', async () => {
  outside.write(
    'no-supertest.mjs',
    `import { startTestHost } from 'qal-analytics/testing';
     const host = await startTestHost({ users: [{ login: 'ann', role: 'administrator' }] });
     const sending = [() => host.api, () => host.apiAs('ann'), () => host.request('GET', '/')];
     for (const send of sending) await (async () => send())().catch(({ message }) => console.log(message));
     await host.stop();`,
  );
  const { code, output } = await outside.nodeOn(borrowed.server.ownerUrl, 'no-supertest.mjs');
  expect({ code, output }).toEqual({
    code: 0,
    output: `${NEEDS_SUPERTEST}\n`.repeat(3),
  });
});

test('jest can run the other example without configuration', async () => {
  outside.link('supertest');
  const { code, output } = await outside.nodeOn(
    borrowed.server.ownerUrl,
    join(__dirname, '..', '..', '..', 'node_modules', 'jest', 'bin', 'jest.js'),
    'limits',
  );
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('1 passed') });
});

test('the types compile without those of other packages', async () => {
  outside.link('@types/node', 'undici-types', 'typescript');
  outside.write(
    'typed.ts',
    `import { startTestHost, type TestHost } from 'qal-analytics/testing';
     const make = (): Promise<TestHost> => startTestHost({ features: { join: false }, clock: () => new Date(0) });
     make().then((host) => host.api.get('/').expect(200)).then(({ status }) => status.toFixed());`,
  );
  outside.write(
    'wrong.ts',
    "import { startTestHost } from 'qal-analytics/testing'; startTestHost({ clocks: 1 });",
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node', '--checkers', '1'];
  const { output } = await outside.node(
    'node_modules/typescript/bin/tsc',
    ...options,
    'typed.ts',
    'wrong.ts',
  );
  // This must be the only error.
  expect(output).toMatch(/^wrong\.ts\(1,\d+\): error .*'clocks' does not exist.*\n$/);
});
