// A batch is passed on when it has enough rows, or earlier if their strings are long.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { fillBatches } from '../../../extension/data/import/fill-batches';
import { BadValue } from '../../../extension/data/import/import-error';
import { BATCHES_AHEAD } from '../../../extension/data/import/limits';
import type { MaterialLoader } from '../../../extension/data/import/loader';
import { openPageViewLoader } from '../../../extension/data/import/page-view/page-view-loader';
import { timeParser } from '../../../extension/data/import/parse-time';
import { makeRoom, type RowBatch, rowBatch } from '../../../extension/data/rows/row-batch';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, TINY } from './import-setup';

const database = useTestDatabase();

/** A loader for rows whose only value is their length in characters. */
const loaderWith = (write: (batch: RowBatch) => Promise<void>): MaterialLoader => ({
  tables: [],
  checker: {
    shape: { width: 1, extras: 0 },
    settleIds: async () => undefined,
    header: () => undefined,
    add(row, batch, line) {
      makeRoom(batch, 1);
      batch.lines[batch.end] = line;
      batch.end += 1;
      batch.characters += Number(Object.values(row)[0]);
    },
  },
  async write(batch) {
    await write(batch);
    return [];
  },
  finish: async () => ({ added: 0, updated: 0, kept: 0, unchanged: 0 }),
});

/** The sizes of the batches for rows with this many characters each. */
async function batchesOf(characters: readonly number[]): Promise<readonly number[]> {
  const sizes: number[] = [];
  const loader = loaderWith(async (batch) => void sizes.push(batch.end));
  const { sink, finish } = fillBatches(loader, {
    onError: 'stop',
    onRejected: () => undefined,
    limits: { ...TINY, batchRows: 4, batchCharacters: 100 },
  });
  for (const [index, length] of characters.entries()) {
    sink.row({ length }, index + 1, { row: { length } });
    if (sink.full()) await sink.drain();
  }
  await finish();
  return sizes;
}

test('a batch is full when it reaches the maximum number of rows', async () => {
  expect(await batchesOf([1, 1, 1, 1, 1, 1])).toEqual([4, 2]);
});

test('a batch with long strings is full earlier, and the next one starts empty', async () => {
  expect(await batchesOf([60, 60, 1, 1, 1, 1, 100, 99])).toEqual([2, 4, 1, 1]);
});

test('rows are read while the first batch is written, until a few batches are waiting', async () => {
  const written: number[] = [];
  let release = (): void => undefined;
  const firstIsWritten = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { sink, finish } = fillBatches(
    loaderWith(async ({ lines }) => {
      await firstIsWritten;
      written.push(lines[0] ?? 0);
    }),
    { onError: 'stop', onRejected: () => undefined, limits: { ...TINY, batchRows: 1 } },
  );
  let read = 0;
  const reading = (async () => {
    for (; read < 10; read += 1) {
      sink.row({ length: 1 }, read + 1, { row: {} });
      await sink.drain();
    }
  })();
  await nextTurn();
  expect({ read, written }).toEqual({ read: BATCHES_AHEAD, written: [] });
  release();
  await reading;
  await finish();
  expect(written.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a rejected row is passed on exactly as it is in the file, without reading it again', async () => {
  const rejected: unknown[] = [];
  const loader = {
    checker: { shape: { width: 1, extras: 0 }, header: () => undefined },
    write: async () => [],
  } as unknown as MaterialLoader;
  const onRejected = (row: unknown) => void rejected.push(row);
  const { sink, finish } = fillBatches(loader, { onError: 'skip', onRejected, limits: TINY });
  const parse = jest.spyOn(JSON, 'parse');
  try {
    sink.wrong(new BadValue('url', 1, 'is wrong'), 7, { text: '{"url": 1}', isJson: true });
    await finish();
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
  expect(rejected).toEqual([{ line: 7, column: 'url', value: 1, reason: 'is wrong', json: '{"url": 1}' }]);
});

test('strings that are not cached count toward the size, including titles', async () => {
  const { write } = database;
  await newSite(write);
  const material = manifest.materials.get('allpv');
  if (material === undefined) throw new Error('the manifest has no allpv');
  const parseTime = timeParser(undefined);
  await inTransaction(write, async (client) => {
    const parts = {
      client,
      write,
      manifest,
      material,
      siteId: 1,
      parseTime,
      limits: TINY,
      isDry: false,
      browseSec: false,
      ...({
        onConflict: 'replace',
        duplicates: 'refuse',
        sourceName: undefined,
        importId: undefined,
      } as const),
    };
    const { checker } = await openPageViewLoader(parts);
    const batch = rowBatch(checker.shape);
    const row = { url: 'u'.repeat(40), access_time: 1_770_000_000, title: 't'.repeat(10) };
    checker.add(row, batch, 1);
    expect(batch.characters).toBe(56);
    checker.add(row, batch, 1);
    expect(batch.characters).toBe(56);
  });
});
