// Answers from the copy are valid if its snapshot has the versions that the query requires, no matter what changes afterwards.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import type { ColumnFile } from '../../../extension/query/columns/column-file';
import type { SnapshotCheck } from '../../../extension/query/columns/connection-pool';
import { type OpenCopy, openCopy } from '../../../extension/query/columns/open-copy';
import { copyReader, whyNotOf } from '../../../extension/query/columns/read-copy';
import { refreshSite, removeSite, type SiteCopy } from '../../../extension/query/columns/refresh-site';
import { forgetCounts } from '../../../extension/query/columns/unique-counts';
import { useCaseDatabase } from '../../language/query-setup';
import { countingNothing } from '../../support/columns';
import { createMemoryLog } from '../../support/memory-log';
import { throwawayFolder } from '../../support/throwaway-postgres';

const { database } = useCaseDatabase();
const SITE = 1;
const SUM = {
  text: 'SELECT sum(browse_sec)::BIGINT FROM analytics.page_view WHERE site_id = $1',
  bindings: [SITE],
};
const CHANGED = { gaveUp: 'The data changed while the query was running.' };

/** A complete copy. Each test starts with its own duplicate. */
let pristine: string;
let folder: string;
let copy: OpenCopy;
let known: SiteCopy | undefined;
let wrong: number;
let isLost: boolean;
const makeFolder = async () => mkdtemp(join(throwawayFolder(), 'qal-read-copy-'));
async function open(inFolder: string): Promise<void> {
  copy = await openCopy({
    folder: inFolder,
    memoryMb: 256,
    tempMb: 64,
    threads: 1,
    write: database.write,
    manifest: countingNothing(),
    log: createMemoryLog().log,
    clock: () => new Date(),
  });
  known = copy.sites.find(({ siteId }) => siteId === SITE);
}
beforeAll(async () => {
  pristine = await makeFolder();
  await open(pristine);
  await refresh();
  await copy.file.close();
});
afterAll(() => rm(pristine, { recursive: true }));
beforeEach(async () => {
  folder = await makeFolder();
  await cp(pristine, folder, { recursive: true });
  await open(folder);
  wrong = 0;
  isLost = false;
});
afterEach(async () => {
  await copy.file.close();
  await rm(folder, { recursive: true });
});

const ofSite = () => ({ ...copy, siteId: SITE });

async function refresh(): Promise<void> {
  known = await inTransaction(database.write, (client) =>
    refreshSite({
      ...ofSite(),
      client,
      known,
      signal: new AbortController().signal,
      async onProgress() {},
    }),
  );
}

async function commitAndRefresh(): Promise<void> {
  await database.write.raw(
    'UPDATE analytics.page_view SET browse_sec = coalesce(browse_sec, 0) + 1 WHERE site_id = 1 AND pv_id = 1',
  );
  await refresh();
}

type Hooks = Partial<Record<'planned' | 'before' | 'after', () => Promise<void>>>;

/** Plans and runs a read of the current copy. `planned` is called in between, the other hooks before and after the version check. */
async function readWith(
  maxCells: number | undefined,
  { planned = async () => {}, before = async () => {}, after = async () => {} }: Hooks,
) {
  if (known === undefined) throw new Error('The site is not copied.');
  const wanted = [known];
  await planned();
  const file: ColumnFile = {
    ...copy.file,
    async read(...args) {
      await before();
      const rows = await copy.file.read(...args);
      await after();
      return rows;
    },
    async *batches(...args) {
      await before();
      const batches = copy.file.batches(...args);
      const { value } = await batches.next();
      await after();
      if (value !== undefined) yield value;
      yield* batches;
    },
  };
  const copies = () => new Map(known && [[SITE, known]]);
  const { read } = copyReader({
    file: () => (isLost ? undefined : file),
    foundWrong: () => wrong,
    whyNot: (sites) =>
      whyNotOf(
        sites,
        copies(),
        () => undefined,
        () => 'missing',
      ),
    log: createMemoryLog().log,
    onFatal() {},
  });
  const outcome = await read(SUM, wanted, new AbortController().signal, maxCells);
  if ('gaveUp' in outcome) return outcome;
  const rows: unknown[] = [];
  for await (const batch of outcome.rows) rows.push(...batch);
  return rows;
}

describe.each([
  ['at once', 1],
  ['as a stream', undefined],
])('a result that is read %s', (_title, maxCells) => {
  const read = (hooks: Hooks = {}) => readWith(maxCells, hooks);

  test('commits during a query do not affect its answer, which is from the requested version', async () => {
    const first = await read();
    expect(first).toEqual([[expect.any(Number)]]);
    const overtaken = await read({
      async after() {
        for (let time = 0; time < 3; time++) await commitAndRefresh();
      },
    });
    expect(overtaken).toEqual(first);
    expect(await read()).not.toEqual(first);
  });

  test('a snapshot with a newer version is not used', async () => {
    expect(await read({ before: commitAndRefresh })).toEqual(CHANGED);
    expect(await read()).toEqual([[expect.any(Number)]]);
  });

  test.each<[string, () => Promise<void>]>([
    ['was removed', () => removeSite(ofSite())],
    [
      'was removed and copied again at the same version',
      async () => {
        await removeSite(ofSite());
        known = undefined;
        await refresh();
      },
    ],
  ])('the copy of a site that %s before the snapshot or the read is not used', async (_title, change) => {
    expect(await read({ before: change })).toEqual(CHANGED);
    known = undefined;
    await refresh();
    expect(await read({ planned: change })).toEqual(CHANGED);
  });

  test.each<[string, () => void]>([
    ['a site is found to be wrong', () => (wrong += 1)],
    ['the copy is found to be wrong', () => (isLost = true)],
  ])('an answer is discarded if %s in the meantime', async (_title, change) => {
    expect(await read({ after: async () => change() })).toEqual(CHANGED);
  });
});

test('a site can be removed while a read that began before its counts changed continues', async () => {
  const { write } = copy.file;
  await write((run) =>
    run({ text: `INSERT INTO counted VALUES ($1, 'n', 'page_view', 9, 0)`, bindings: [SITE] }),
  );
  const rows = copy.file.batches({ text: 'SELECT range FROM range(1000000)' }, undefined, {
    keys: ['sum'],
    async check(run) {
      await run(SUM);
    },
  });
  await rows.next();
  await write((run) => forgetCounts(run, 'page_view', SITE, 0));
  await removeSite(ofSite());
  await rows.return();
  expect(await copy.file.read({ text: 'SELECT site_id FROM copied_site' })).toEqual([]);
});

/** The copy's file, and the rows that its checks have read. */
function watchChecks() {
  const rows: (readonly unknown[])[] = [];
  const watched = (checked: SnapshotCheck | undefined) =>
    checked && {
      ...checked,
      check: (run: Parameters<SnapshotCheck['check']>[0]) =>
        checked.check(async (asked) => {
          const all = await run(asked);
          rows.push(...all);
          return all;
        }),
    };
  const file: ColumnFile = {
    ...copy.file,
    read: (statement, signal, checked) => copy.file.read(statement, signal, watched(checked)),
    batches: (statement, signal, checked) => copy.file.batches(statement, signal, watched(checked)),
  };
  return { file, rows };
}

const readerOf = (file: ColumnFile) =>
  copyReader({
    file: () => file,
    foundWrong: () => 0,
    whyNot: () => undefined,
    log: createMemoryLog().log,
    onFatal() {},
  });

test.each([
  ['at once', 1],
  ['as streams', undefined],
])(
  'results that are read %s read versions again only after a commit, and on each connection',
  async (_title, maxCells) => {
    const { file, rows } = watchChecks();
    const read = async () => {
      const { signal } = new AbortController();
      const outcome = await readerOf(file).read(SUM, known ? [known] : [], signal, maxCells);
      if (!('rows' in outcome)) return outcome;
      const found: unknown[] = [];
      for await (const batch of outcome.rows) found.push(...batch);
      return found;
    };
    const readBoth = () => Promise.all([read(), read()]);
    await read();
    await read();
    expect(rows).toHaveLength(1);
    await copy.file.write(async () => {});
    await read();
    await read();
    expect(rows).toHaveLength(2);
    await readBoth();
    await readBoth();
    expect(rows).toHaveLength(3);
    expect(await read()).toEqual([[expect.any(Number)]]);
  },
);

test('versions that were read one by one are not read again for several sites', async () => {
  const site = known;
  if (site === undefined) throw new Error('The site is not copied.');
  const other = { ...site, siteId: 100 };
  await copy.file.write((run) =>
    run({
      text: 'INSERT INTO copied_site SELECT 100, version, number, copied_at FROM copied_site WHERE site_id = $1',
      bindings: [SITE],
    }),
  );
  const { file, rows } = watchChecks();
  for (const copies of [[site], [other], [other, site]]) {
    const outcome = await readerOf(file).read(SUM, copies, new AbortController().signal, 1);
    expect(outcome).toEqual({ rows: expect.anything() });
  }
  expect(rows).toHaveLength(2);
});

test('a kept snapshot does not answer a query that was planned for another version', async () => {
  if (known === undefined) throw new Error('The site is not copied.');
  const { read } = readerOf(copy.file);
  const { signal } = new AbortController();
  expect(await read(SUM, [known], signal, 1)).toEqual({ rows: expect.anything() });
  expect(await read(SUM, [{ ...known, version: 'another' }], signal, 1)).toEqual(CHANGED);
});

// Converting the versions of thousands of sites would take longer than most queries.
test.each([
  ['the queried sites', 200, 200],
  ['all sites if many are queried', 201, 220],
])('before a short result, the versions of %s are read', async (_title, queried, read) => {
  const site = known;
  if (site === undefined) throw new Error('The site is not copied.');
  const others = Array.from({ length: 219 }, (_, index) => ({
    ...site,
    siteId: 1_000 + index,
    copiedAt: 1,
  }));
  await copy.file.write((run) =>
    run({
      text: `INSERT INTO copied_site (site_id, version, number, copied_at) SELECT 1000 + range, $1, 1, 1 FROM range(219)`,
      bindings: [site.version],
    }),
  );
  const { file, rows } = watchChecks();
  const outcome = await readerOf(file).read(
    SUM,
    [site, ...others].slice(0, queried),
    new AbortController().signal,
    1,
  );
  expect(outcome).toEqual({ rows: expect.anything() });
  expect(rows).toHaveLength(read);
});
