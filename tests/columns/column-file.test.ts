// What the file of the column copy lets a statement do.
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ColumnFile, openColumnFile } from '../../extension/columns/column-file';

let folder: string;
let file: ColumnFile;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qal-columns-'));
  file = await openColumnFile({
    ...{ folder: join(folder, 'copy'), memoryMb: 64, tempMb: 64, threads: 1 },
  });
});
afterAll(async () => {
  await file.close();
  await rm(folder, { recursive: true });
});

test('no statement reads another file or an address', async () => {
  const secret = join(folder, 'secret.csv');
  const link = join(file.exchangeFolder, '..', 'link.csv');
  await writeFile(secret, 'secret\n1\n');
  await symlink(secret, link);
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.end('secret\n1\n');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const refused = [
    `SELECT * FROM read_csv('${secret}')`,
    `SELECT * FROM '${secret}'`,
    `SELECT * FROM read_text('${link}')`,
    `SELECT * FROM read_text('${file.exchangeFolder}/../../secret.csv')`,
    `SELECT * FROM glob('${folder}/*')`,
    `SELECT * FROM read_csv('http://127.0.0.1:${port}/x.csv')`,
    `SELECT getenv('PATH')`,
    `ATTACH '${join(folder, 'other.duckdb')}'`,
    `COPY (SELECT 1) TO '${join(folder, 'written.csv')}'`,
    'INSTALL httpfs',
    'LOAD httpfs',
    'SET enable_external_access = true',
    `SET allowed_directories = ['/']`,
    `PRAGMA enable_external_access`,
  ];
  for (const text of refused)
    expect([
      text,
      await file.read({ text }).then(
        () => 'done',
        () => 'refused',
      ),
    ]).toEqual([text, 'refused']);
  server.close();
  expect(calls).toBe(0);
});
