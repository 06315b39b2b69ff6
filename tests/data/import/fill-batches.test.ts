// A batch is passed on when it has enough rows, or earlier if their strings are long.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { fillBatches } from '../../../extension/data/import/fill-batches';
import { BadValue, ImportError } from '../../../extension/data/import/import-error';
import { BATCHES_AHEAD } from '../../../extension/data/import/limits';
import type { MaterialLoader } from '../../../extension/data/import/loader';
import { openPageViewLoader } from '../../../extension/data/import/page-view/page-view-loader';
import { timeParser } from '../../../extension/data/import/parse-time';
import { makeRoom, rowBatch } from '../../../extension/data/rows/row-batch';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, TINY } from './import-setup';

const database = useTestDatabase();

const options = {
  onError: 'stop',
  onRejected: () => undefined,
  refuseStopped: () => undefined,
  limits: { ...TINY, batchRows: 1 },
} as const;

/** A loader for rows whose only value is their length in characters. */
const loaderWith = (write: MaterialLoader['write']): MaterialLoader => ({
  tables: [],
  checker: {
    extrasPerRow: 0,
    settleIds: async () => undefined,
    header: () => undefined,
    add(row, batch, line) {
      makeRoom(batch, 1);
      batch.lines[batch.end] = line;
      batch.end += 1;
      batch.characters += Number(Object.values(row)[0]);
    },
  },
  write,
  finish: async () => ({ added: 0, updated: 0, kept: 0, unchanged: 0 }),
});

/** The sizes of the batches for rows with this many characters each. */
async function batchesOf(characters: readonly number[]): Promise<readonly number[]> {
  const sizes: number[] = [];
  const loader = loaderWith(async (batch) => {
    sizes.push(batch.end);
    return [];
  });
  const limits = { ...TINY, batchRows: 4, batchCharacters: 100 };
  const { sink, finish } = fillBatches(loader, { ...options, limits });
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
      return [];
    }),
    options,
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

test('while a batch is written and another one is ready, reading pauses; it continues while the database applies rows', async () => {
  const events: string[] = [];
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const loader: MaterialLoader = {
    ...loaderWith(async ({ lines }) => {
      events.push(`write from line ${lines[0]}`);
      await gates[events.length - 1]?.promise;
      return [];
    }),
    async apply() {
      events.push('apply');
      await gates[events.length - 1]?.promise;
    },
  };
  const flow = fillBatches(loader, { ...options, limits: { ...TINY, batchRows: 2 } });
  let read = 0;
  const reading = (async () => {
    for (; read < 8; read += 1) {
      flow.sink.row({ length: 1 }, read + 1, { row: {} });
      if (flow.sink.full()) await flow.sink.drain();
    }
  })();
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  };
  await turns();
  expect({ read, events }).toEqual({ read: 4, events: ['write from line 1'] });
  gates[0]?.resolve();
  await turns();
  expect({ read, events }).toEqual({ read: 8, events: ['write from line 1', 'apply'] });
  gates[1]?.reject(new Error('not derived'));
  await reading;
  await expect(flow.finish()).rejects.toThrow('not derived');
  await flow.abandon();
  expect(events).toEqual(['write from line 1', 'apply']);
});

test('an import is not finished until its last piece is written', async () => {
  const loader = { ...loaderWith(async () => []), apply: () => Promise.reject(new Error('not derived')) };
  const { sink, finish } = fillBatches(loader, options);
  sink.row({ length: 1 }, 1, { row: {} });
  await expect(finish()).rejects.toThrow('not derived');
});

const fault = (reason: string) => new BadValue('url', 1, reason);

/** Reads rows with `more` options. The `wrong` lines are found to be wrong when read (early) or written (late). */
async function rejectedOf(
  wrong: { readonly early: readonly number[]; readonly late: readonly number[] },
  more: Partial<Parameters<typeof fillBatches>[1]>,
) {
  const written: number[] = [];
  const rejected: number[] = [];
  const loader = loaderWith(async ({ lines, end }) => {
    // Meanwhile, the reader reads as far ahead as it can.
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    const read = [...lines.subarray(0, end)];
    written.push(...read);
    return read.flatMap((line, row) => (wrong.late.includes(line) ? [{ row, fault: fault('late') }] : []));
  });
  const flow = fillBatches(loader, {
    ...options,
    onRejected: ({ line }) => void rejected.push(line),
    ...more,
  });
  let read = 0;
  const reading = async () => {
    for (let line = 1; line <= 20; line += 1) {
      const origin = { text: `${line}`, isJson: false };
      read = line;
      if (wrong.early.includes(line)) flow.sink.wrong(fault('early'), line, origin);
      else flow.sink.row({ length: 1 }, line, origin);
      if (flow.sink.full()) await flow.sink.drain();
    }
    await flow.finish();
  };
  const error: unknown = await reading().catch((one: unknown) => one);
  await flow.abandon();
  return { rejected, written, read, error, counts: flow.counts() };
}

test('rows are rejected in the order of their lines, no matter when they are found to be wrong', async () => {
  const wrong = { early: [2, 5, 6, 11, 20], late: [1, 3, 4, 12, 19] };
  for (const batchRows of [1, 3, 7, 100]) {
    const done = await rejectedOf(wrong, { onError: 'skip', limits: { ...TINY, batchRows } });
    expect(done.rejected).toEqual([1, 2, 3, 4, 5, 6, 11, 12, 19, 20]);
    expect(done).toMatchObject({ error: undefined, counts: { read: 20, rejected: 10 } });
  }
});

test('the first wrong row of the file stops an import, even if a later one is found first', async () => {
  for (const [early, late, line] of [
    [[4], [2], 2],
    [[4], [5], 4],
    [[4, 5], [], 4],
    [[], [9, 8], 8],
  ] as const) {
    const { error, rejected, read } = await rejectedOf({ early, late }, {});
    expect(error).toMatchObject({ place: { line } });
    expect(rejected).toEqual([]);
    expect(read).toBeLessThan(line + BATCHES_AHEAD + 2);
  }
});

test('if too many rows are wrong, exactly as many as allowed are passed on, and reading ends', async () => {
  const limits = { ...TINY, batchRows: 3, rejectedRows: 3 };
  const done = await rejectedOf({ early: [4, 5, 6, 7], late: [1] }, { onError: 'skip', limits });
  expect(done.rejected).toEqual([1, 4, 5]);
  expect(done.error).toMatchObject({ message: expect.stringContaining('More than 3 rows are invalid') });
  expect(done.read).toBe(7);
});

test('a stopped import writes none of the batches that are waiting', async () => {
  let batches = 0;
  const refuseStopped = () => {
    if (batches === 2) throw new ImportError('Stopped');
    batches += 1;
  };
  const { written, error } = await rejectedOf({ early: [], late: [] }, { refuseStopped });
  expect(error).toMatchObject({ message: 'Stopped' });
  expect(written).toEqual([1, 2]);
});

test('an abandoned import finishes only the batch that is being written', async () => {
  const written: number[] = [];
  const loader = loaderWith(async ({ lines }) => {
    await nextTurn();
    written.push(lines[0] ?? 0);
    return [];
  });
  const flow = fillBatches(loader, options);
  for (let line = 1; line <= BATCHES_AHEAD; line += 1) {
    flow.sink.row({ length: 1 }, line, { row: {} });
    await flow.sink.drain();
  }
  await flow.abandon();
  expect(written).toEqual([1]);
});

test('a rejected row is passed on exactly as it is in the file, without being read again', async () => {
  const rejected: unknown[] = [];
  const loader = {
    checker: { extrasPerRow: 0, header: () => undefined },
    write: async () => [],
  } as unknown as MaterialLoader;
  const onRejected = (row: unknown) => void rejected.push(row);
  const { sink, finish } = fillBatches(loader, { ...options, onError: 'skip', onRejected, limits: TINY });
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
    const batch = rowBatch(checker.extrasPerRow);
    const row = { url: 'u'.repeat(40), access_time: 1_770_000_000, title: 't'.repeat(10) };
    checker.add(row, batch, 1);
    expect(batch.characters).toBe(56);
    checker.add(row, batch, 1);
    expect(batch.characters).toBe(56);
  });
});
