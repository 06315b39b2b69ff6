// SECURITY.md promises that the program makes no requests to the internet. This test blocks all connections to other machines.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDemo } from '../../extension/data/demo/load-demo';
import { startProgram, useProgram } from '../support/program-process';
import { useTestDatabase } from '../support/use-database';
import { useFolder } from '../support/use-folder';

const database = useTestDatabase({
  name: 'no_internet',
  fill: async (write) => {
    await loadDemo(write, { now: new Date(), views: 500, onProgress: () => {} });
  },
});
const program = useProgram(join(__dirname, '../../host-shim/cli/qal.ts'));

const folder = useFolder();
let refused: string;
let environment: Record<string, string>;
beforeEach(async () => {
  refused = join(folder, 'refused');
  await writeFile(refused, '');
  environment = {
    NODE_OPTIONS: `--require=${join(__dirname, '../support/refuse-internet.js')}`,
    REFUSED: refused,
  };
});

// conformance: beyond.no-internet
test('a server that starts, answers a query and stops does not connect to other machines', async () => {
  const { child, ended, text } = await program.serve({
    ...environment,
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.readUrl,
    DATA_DIR: join(folder, 'data'),
    HEALTH_PORT: '0',
  });
  const [, login = '', body = '', url = ''] =
    /curl -s -u '([^']+)' -H '[^']+' -d '([^']+)' '([^']+)'/.exec(text.out) ?? [];
  const headers = {
    Authorization: `Basic ${Buffer.from(login).toString('base64')}`,
    'Content-Type': 'application/json',
  };
  const response = await fetch(url, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ ok: true })]);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(await readFile(refused, 'utf8')).toBe('');
});

test('if a program tries to connect, the attempt is blocked and recorded', async () => {
  const script = `const { promises } = require('node:dns');
    Promise.allSettled([
      fetch('https://updates.example/'), fetch('http://192.0.2.1/'), promises.resolve4('stats.example'),
      new Promise((resolve) => require('node:net').connect(25, 'mail.example').on('error', resolve)),
    ]);`;
  expect(await startProgram(['-e', script], environment).ended).toBe(0);
  const lines = (await readFile(refused, 'utf8')).trim().split('\n');
  expect(lines.toSorted()).toEqual([
    'connection to 192.0.2.1',
    'connection to mail.example',
    'connection to updates.example',
    'resolve4 of stats.example',
  ]);
});
