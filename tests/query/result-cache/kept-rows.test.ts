// The stored rows of an answer: text in memory and in a file, kept until the last holder releases them.
import { EventEmitter, once } from 'node:events';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import type { Row, RowBatches } from '../../../extension/language/types/compiled-query';
import type { KeptRows, RowStore } from '../../../extension/language/types/query-result';
import { createRowStore } from '../../../extension/query/result-cache/kept-rows';
import { useFolder } from '../../support/use-folder';

const KB = 1024;

const folder = useFolder({ perFile: true });

/** Rows of about a kilobyte, ten at a time. */
async function* rowsOf(count: number): RowBatches {
  for (let from = 0; from < count; from += 10)
    yield Array.from(
      { length: Math.min(10, count - from) },
      (_, place): Row => [from + place, 'ä"'.repeat(256), null],
    );
}

const keep = (store: RowStore, count: number, maxBytes = Number.POSITIVE_INFINITY) =>
  store.keep(rowsOf(count), maxBytes, () => new Error('too large'));

async function numbersOf(rows: KeptRows): Promise<readonly unknown[]> {
  const numbers: unknown[] = [];
  for await (const batch of rows.batches()) numbers.push(...batch.map(([number]) => number));
  return numbers;
}

const firstNumbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test.each([0, 1, 100, 1_000])('%i rows can be read repeatedly', async (count) => {
  const kept = await keep(createRowStore({ folder }), count);
  expect(await numbersOf(kept)).toEqual(firstNumbers(count));
  expect(await Promise.all([numbersOf(kept), numbersOf(kept)])).toEqual([
    firstNumbers(count),
    firstNumbers(count),
  ]);
  const texts: Buffer[] = [];
  for await (const text of kept.texts()) texts.push(text);
  expect(texts.reduce((sum, { length }) => sum + length, 0)).toBe(kept.bytes);
  expect(JSON.parse(`[${texts.join(',')}]`)).toHaveLength(count);
  kept.release();
});

test('the first rows are in memory, and the rest in an unlinked file that is closed when the last holder releases it', async () => {
  const store = createRowStore({ folder });
  const kept = await keep(store, 1_000);
  expect(kept.bytes - store.use()).toBeLessThan(256 * KB);
  expect(await readdir(folder)).toEqual([]);
  kept.hold();
  kept.release();
  expect(await numbersOf(kept)).toHaveLength(1_000);
  kept.release();
  expect(store.use()).toBe(0);
  await expect(numbersOf(kept)).rejects.toThrow(
    'The rows of this answer were discarded to make room for newer ones.',
  );
});

test('a partial write, as on a disk that is almost full, is continued', async () => {
  const handle = await open(folder);
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { write } = prototype;
  const writing = jest.spyOn(prototype, 'write').mockImplementation(function (
    this: FileHandle,
    ...[text, from, length, at]: unknown[]
  ) {
    return Reflect.apply(write, this, [text, from, Math.ceil(Number(length) / 2), at]);
  });
  try {
    const kept = await keep(createRowStore({ folder }), 1_000);
    expect(await numbersOf(kept)).toEqual(firstNumbers(1_000));
    kept.release();
  } finally {
    writing.mockRestore();
  }
});

test('nothing is left of rows that are too large or whose source fails', async () => {
  const store = createRowStore({ folder });
  await expect(keep(store, 1_000, 512 * KB)).rejects.toThrow('too large');
  async function* failing(): RowBatches {
    yield* rowsOf(1_000);
    throw new Error('gone');
  }
  await expect(store.keep(failing(), Number.POSITIVE_INFINITY, () => new Error())).rejects.toThrow('gone');
  expect(store.use()).toBe(0);
});

test('reading stops once the rows are too large', async () => {
  let read = 0;
  async function* endless(): RowBatches {
    for (;;) {
      read += 10;
      yield* rowsOf(10);
    }
  }
  await expect(
    createRowStore({ folder }).keep(endless(), 100 * KB, () => new Error('too large')),
  ).rejects.toThrow('too large');
  expect(read).toBeLessThan(200);
});

test('beyond the total size limit, the oldest files are discarded', async () => {
  const store = createRowStore({ folder, maxBytes: 1_500 * KB });
  const [first, second] = [await keep(store, 1_000), await keep(store, 1_000)];
  expect([first.isGone, second.isGone]).toEqual([true, false]);
  expect(store.use()).toBeLessThan(1_500 * KB);
  await expect(numbersOf(first)).rejects.toThrow('discarded to make room');
  expect(await numbersOf(second)).toHaveLength(1_000);
  first.release();
  second.release();
  expect(store.use()).toBe(0);
});

test('an answer that is still being written is not discarded to make room for another one', async () => {
  const store = createRowStore({ folder, maxBytes: 1_500 * KB });
  const [begun, other] = [new EventEmitter(), new EventEmitter()];
  async function* slow(): RowBatches {
    yield* rowsOf(900);
    const goOn = once(other, 'end');
    begun.emit('end');
    await goOn;
    yield* rowsOf(100);
  }
  const hasBegun = once(begun, 'end');
  const written = store.keep(slow(), Number.POSITIVE_INFINITY, () => new Error('too large'));
  await hasBegun;
  const [first, second] = [await keep(store, 1_000), await keep(store, 1_000)];
  other.emit('end');
  const late = await written;
  expect(await numbersOf(late)).toHaveLength(1_000);
  for (const rows of [first, second, late]) rows.release();
  expect(store.use()).toBe(0);
});

test('the number of open files stays within the limit', async () => {
  const store = createRowStore({ folder, maxFiles: 3 });
  const kept: KeptRows[] = [];
  for (let count = 0; count < 5; count += 1) kept.push(await keep(store, 300));
  const gone = await Promise.all(
    kept.map((rows) =>
      numbersOf(rows).then(
        () => false,
        () => true,
      ),
    ),
  );
  expect(gone).toEqual([true, true, false, false, false]);
  for (const rows of kept) rows.release();
  expect(store.use()).toBe(0);
});
