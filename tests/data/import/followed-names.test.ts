// Recognizing the files of a followed log: links to it, logs from other servers, unreadable files, and holes. No database is
// used: a piece and its state are kept together in memory, as in a transaction.
import fs from 'node:fs';
import promises, {
  appendFile,
  copyFile,
  link,
  mkdtemp,
  rename,
  rm,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { followFile } from '../../../extension/data/import/follow-file';
import type { ImportReport } from '../../../extension/data/import/import-options';
import { type FollowState, recognize, see, seenAs } from '../../../extension/data/import/known-files';
import { logFileAt, markAt } from '../../../extension/data/import/log-files';

let folder: string;
let log: string;
let now = new Date();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qal-names-'));
  log = join(folder, 'access.log');
});
afterEach(() => {
  jest.restoreAllMocks();
  return rm(folder, { recursive: true, force: true });
});

const MINUTE = 60_000;
const beside = (name: string) => join(folder, name);
const lines = (...names: readonly string[]) => names.map((name) => `${name}\n`).join('');
const aged = (file: string, time: number) => utimes(file, time, time);

type Step = () => Promise<unknown>;

/** Follows the log until the steps are done. Each step changes the files before the next scan. */
async function follow(steps: readonly Step[], state?: FollowState, importPiece?: Step) {
  const read: string[] = [];
  const gaps: number[] = [];
  const warnings: string[] = [];
  const remaining = [...steps];
  let stored = state;
  await followFile({
    path: log,
    onGap: 'record',
    clock: () => now,
    state,
    async importPiece(piece, _file, check) {
      const content = await text(piece);
      await importPiece?.();
      stored = await check();
      read.push(...content.split('\n').filter((line) => line !== ''));
      return {} as ImportReport;
    },
    async storeState(next, gap) {
      stored = next;
      if (gap !== undefined) gaps.push(gap.position);
    },
    async wait() {
      const step = remaining.shift();
      await step?.();
      return step !== undefined;
    },
    onImported: () => undefined,
    onWarning: (warning) => void warnings.push(warning),
  });
  return { read, gaps, warnings, state: stored };
}

const QUIET = { gaps: [], warnings: [] };

describe('another name for the log', () => {
  const dated = (day: number) => beside(`access-2026030${day}.log`);
  const pointTo = async (day: number) => {
    await symlink(dated(day), beside('new'));
    await rename(beside('new'), log);
  };

  test('is not read again if the log is a symbolic link to a dated file that changes each day', async () => {
    await writeFile(dated(1), lines('a'));
    await pointTo(1);
    expect(
      await follow([
        () => appendFile(dated(1), lines('b')),
        () => appendFile(log, lines('c')),
        async () => {
          await appendFile(log, lines('d'));
          await writeFile(dated(2), lines('e'));
          await pointTo(2);
        },
        () => appendFile(log, lines('f')),
      ]),
    ).toMatchObject({ ...QUIET, read: ['a', 'b', 'c', 'd', 'e', 'f'] });
  });

  test('is not read again if it is a hard link, even to a rotated file', async () => {
    await writeFile(log, lines('a'));
    await link(log, beside('access.log.0'));
    expect(
      await follow([
        () => appendFile(log, lines('b')),
        async () => {
          await appendFile(log, lines('c'));
          await unlink(log);
          await writeFile(log, lines('d'));
        },
        () => link(beside('access.log.0'), beside('access.log.1')),
        () => appendFile(log, lines('e')),
      ]),
    ).toMatchObject({ ...QUIET, read: ['a', 'b', 'c', 'd', 'e'] });
  });
});

test.each([
  ['access.log.1', true],
  ['access.log-20260302', true],
  ['access.log.old', true],
  ['access.1.log', true],
  ['access-20260302.log', true],
  ['access_2026-03-02.log', true],
  ['access-2026-03-02T09:15:00.log', true],
  ['access.2026.03.02.log', true],
  ['access-1772442900.log', true],
  ['access-2.log', false],
  ['access_2.log', false],
  ['access-192.168.100.7.log', false],
  ['access-old.log', false],
  ['access-2nd.log', false],
  ['access.log.shop2', false],
])('a new file %s is read: %s', async (name, isRead) => {
  await writeFile(log, lines('a'));
  const { read } = await follow([() => writeFile(beside(name), lines('other'))]);
  expect(read).toEqual(isRead ? ['a', 'other'] : ['a']);
});

test("another server's log that existed before and grows is ignored", async () => {
  await writeFile(log, lines('a'));
  await writeFile(beside('access-2.log'), lines('x'));
  expect(await follow([() => appendFile(beside('access-2.log'), lines('y'))])).toMatchObject({
    ...QUIET,
    read: ['a'],
  });
});

describe('an unreadable file', () => {
  /** File modes are not enough, because root can read every file. */
  const forbid = (...names: readonly string[]) => {
    const { createReadStream } = fs;
    jest.spyOn(fs, 'createReadStream').mockImplementation((path, options) => {
      const stream = createReadStream(path, options);
      const message = `EACCES: permission denied, open '${String(path)}'`;
      if (names.some((name) => path === beside(name)))
        stream.destroy(Object.assign(new Error(message), { code: 'EACCES' }));
      return stream;
    });
  };

  test('does not stop the follower if it is a different or an earlier log', async () => {
    await writeFile(beside('access.log.1'), lines('before'));
    await aged(beside('access.log.1'), 1_700_000_000);
    await writeFile(log, lines('a'));
    forbid('access.log.1', 'access.log.shop');
    expect(
      await follow([
        () => writeFile(beside('access.log.shop'), lines('x')),
        () => appendFile(log, lines('b')),
      ]),
    ).toMatchObject({ ...QUIET, read: ['a', 'b'] });
  });

  test('does not stop the follower if it is a dangling, circular or inaccessible link', async () => {
    await writeFile(log, lines('a'));
    await symlink(beside('none'), beside('access.log.2'));
    await symlink(beside('access.log.3'), beside('access.log.3'));
    await symlink('/root/other', beside('access.log.shop'));
    const { stat } = promises;
    jest.spyOn(promises, 'stat').mockImplementation(async (path, options) => {
      if (path !== beside('access.log.shop')) return stat(path, options);
      throw Object.assign(new Error(`EACCES: permission denied, stat '${path}'`), { code: 'EACCES' });
    });
    expect(await follow([() => appendFile(log, lines('b'))])).toMatchObject({ ...QUIET, read: ['a', 'b'] });
  });

  test('stops the follower if it was rotated in the meantime', async () => {
    await writeFile(log, lines('a'));
    forbid('access.log.1');
    await expect(follow([() => writeFile(beside('access.log.1'), lines('b'))])).rejects.toThrow('EACCES');
  });
});

test('a lost database connection stops the follower, even though the error is about a missing file', async () => {
  await writeFile(log, lines('a'));
  const gone = Object.assign(new Error('connect ENOENT /run/.s.PGSQL.5432'), { code: 'ENOENT' });
  await expect(follow([], undefined, () => Promise.reject(gone))).rejects.toBe(gone);
});

test('a log that is moved while it is read is found by the next scan', async () => {
  await writeFile(log, lines('a'));
  const moves: Step[] = [() => rename(log, `${log}.1`)];
  const back = () => writeFile(log, lines('b'));
  const { read, gaps } = await follow([back], undefined, async () => moves.shift()?.());
  expect([read, gaps]).toEqual([['a', 'b'], []]);
});

test.each(['log', 'folder'] as const)('a missing %s is reported once, after ten minutes', async (what) => {
  await writeFile(log, lines('a'));
  const later = (minutes: number) => async () => {
    now = new Date(now.getTime() + minutes * MINUTE);
  };
  const missing = [expect.stringMatching(/access\.log has been missing for 10 minutes/)];
  const remove = () => (what === 'log' ? rm(log) : rename(folder, `${folder}-gone`));
  const first = await follow([remove, later(9)]);
  expect(first.warnings).toEqual([]);
  const back = async () => {
    if (what === 'folder') await rename(`${folder}-gone`, folder);
    await writeFile(log, lines('b'));
  };
  const second = await follow([later(10), later(60), back], first.state);
  expect(second.warnings.slice(0, 1)).toEqual(missing);
  expect(second.warnings.slice(1)).not.toContainEqual(missing[0]);
  expect(second.read).toContain('b');
});

test('a 70 MB hole in a truncated log is a gap, and the lines after it are read', async () => {
  await writeFile(log, lines('a'));
  expect(
    await follow([
      async () => {
        await copyFile(log, `${log}.1`);
        await truncate(log, 0);
        await truncate(log, 70 * 2 ** 20);
      },
      () => appendFile(log, 'in the'),
      () => appendFile(log, lines(' hole', 'b', 'c')),
      () => appendFile(log, lines('d')),
    ]),
  ).toMatchObject({
    read: ['a', 'b', 'c', 'd'],
    gaps: [0],
    warnings: [expect.stringContaining('access.log has a line of more than 64 MB after byte 0')],
  });
});

test('the beginning of each unknown file is read once per scan, no matter how many files are known', async () => {
  const known = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const path = beside(`access.log.${index + 1}`);
      await writeFile(path, lines(`known ${index}`));
      const file = await logFileAt(path, true);
      const mark = file && (await markAt(file, file.size));
      if (file === undefined || mark === undefined) throw new Error(`${path} cannot be read`);
      return seenAs(file, mark);
    }),
  );
  await writeFile(beside('access.log.shop'), lines('x'));
  await writeFile(beside('access.log.other.gz'), gzipSync(lines('y')));
  await writeFile(log, lines('a'));
  const reads = jest.spyOn(fs, 'createReadStream');
  const { found } = await recognize({ since: 0n, files: known }, await see(log));
  expect(found).toHaveLength(known.length + 1);
  const names = ['access.log.shop', 'access.log.other.gz', 'access.log'];
  expect(reads.mock.calls.map(([path]) => path).sort()).toEqual(names.map(beside).sort());
});
