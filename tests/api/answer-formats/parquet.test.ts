// A Parquet answer keeps its slot while DuckDB is still writing the file after the last row has been read.
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { formatAnswer } from '../../../extension/api/answer-formats/format-answer';
import { readDocument } from '../../../extension/language/parse/read-document';
import type { RowBatches } from '../../../extension/language/types/compiled-query';
import { NO_QUEUE } from '../../../extension/query/query-context';
import { streamQuery } from '../../../extension/query/run-query';
import { useCaseDatabase } from '../../language/query-setup';
import { allOf } from '../../support/all-of';

const QUERY = JSON.stringify({
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.pv_id'] } },
  result: { use: 'v' },
});

const opened = useCaseDatabase();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(os.tmpdir(), 'qal-test-'));
  jest.spyOn(os, 'tmpdir').mockReturnValue(folder);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(folder, { recursive: true });
});

/** Returns the events in order, each with the number of files being written at that time. */
async function write(isWhole: boolean) {
  const events: unknown[] = [];
  const note = (what: string) => events.push([what, readdirSync(folder).length]);
  const answer = await streamQuery(readDocument(QUERY), {
    ...opened.context,
    queue: { ...NO_QUEUE, enter: async () => () => note('left') },
  });
  async function* noted(): RowBatches {
    yield* answer.rows;
    if (!isWhole) throw new Error('no');
    note('rows read');
  }
  const written = formatAnswer({ ...answer, rows: noted() }, 'parquet', { signal: opened.context.signal });
  return { events, written };
}

test('the slot is freed once the file has been written, not once its rows have been read', async () => {
  const { events, written } = await write(true);
  const bytes = Buffer.concat(await allOf(await written));
  expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
  expect(events).toEqual([
    ['rows read', 1],
    ['left', 0],
  ]);
});

test('the slot is freed if reading the rows fails', async () => {
  const { events, written } = await write(false);
  await expect(written).rejects.toThrow('no');
  expect(events).toEqual([['left', 0]]);
});
