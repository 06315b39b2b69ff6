// A batch grows without losing rows. COPY pieces contain whole rows of any size.
import { CopyPieces, encodeRows } from '../../../extension/data/rows/copy-rows';
import {
  beginRow,
  emptyBatch,
  makeRoom,
  type RowBatch,
  rowBatch,
  setValue,
  valueAt,
} from '../../../extension/data/rows/row-batch';
import type { PhysicalType } from '../../../extension/data/rows/table-layout';

const EXTRAS = 2;

function add(batch: RowBatch, name: number): void {
  beginRow(batch);
  setValue(batch, batch.end, 0, name);
  setValue(batch, batch.end, 1, Number.NaN);
  if (name % 3 === 0) setValue(batch, batch.end, 2, -name);
  batch.fingerprints.fill(name % 256, batch.end * 16, batch.end * 16 + 16);
  batch.extras[batch.end * 2] = name % 2 === 0 ? null : `text ${name}`;
  batch.extras[batch.end * 2 + 1] = `note ${name}`;
  batch.end += 1;
}

/** The rows in use, with all of their values. */
const rowsOf = (batch: RowBatch): readonly unknown[] =>
  Array.from({ length: batch.end }, (_, row) => [
    ...[0, 1, 2].map((field) => valueAt(batch, row, field)),
    ...new Set(batch.fingerprints.slice(row * 16, row * 16 + 16)),
    ...batch.extras.slice(row * 2, row * 2 + 2),
  ]);

const expected = (name: number): unknown => [
  name,
  Number.NaN,
  name % 3 === 0 ? -name : Number.NaN,
  name % 256,
  name % 2 === 0 ? null : `text ${name}`,
  `note ${name}`,
];

const names = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

test('rows keep their values while a batch grows, even after it has been emptied', () => {
  const batch = rowBatch(EXTRAS);
  for (const [from, to] of [
    [0, 40],
    [1, 22],
    [2, 252],
  ] as const) {
    emptyBatch(batch);
    for (const name of names(from, to)) add(batch, name);
    expect(rowsOf(batch)).toEqual(names(from, to).map(expected));
    makeRoom(batch, 1_000);
    expect(rowsOf(batch)).toEqual(names(from, to).map(expected));
  }
});

test('a batch allocates at most twice as much space as its rows need', () => {
  const batch = rowBatch(EXTRAS);
  for (const name of names(0, 10_000)) {
    add(batch, name);
    const room = batch.columns.map((values) => values?.length);
    expect(room[0]).toBeLessThanOrEqual(Math.max(16, batch.end * 2));
    expect(room).toEqual([room[0], undefined, room[0]]);
  }
});

test.each([
  ['few', [5, 9, 3]],
  ['enough to fill pieces of the normal size', Array.from({ length: 9000 }, (_, n) => 90 + (n % 50))],
  ['larger than a piece', [10, 300_000, 7, 262_144, 262_143, 262_142, 1]],
])('pieces contain all rows in order: %s', (_, sizes) => {
  const pieces = new CopyPieces();
  const sent: Buffer[] = [];
  for (const [index, size] of sizes.entries()) {
    const full = pieces.makeRoom(size);
    if (full !== undefined) sent.push(full);
    pieces.piece.fill(index % 251, pieces.at, pieces.at + size);
    pieces.at += size;
  }
  sent.push(pieces.end());
  const all = Buffer.concat(sent);
  expect(all.subarray(0, 11).toString('latin1')).toBe('PGCOPY\n\xff\r\n\0');
  const rows = Buffer.concat(sizes.map((size, index) => Buffer.alloc(size, index % 251)));
  expect(all.subarray(19, -2).equals(rows)).toBe(true);
  expect([...all.subarray(-2)]).toEqual([0xff, 0xff]);
  expect(sent.length).toBeLessThan(2 + rows.length / 100_000);
});

const column = (type: PhysicalType, field: number) => ({
  name: type,
  type,
  nullable: false,
  fallback: Number.NaN,
  field,
});

function encoded(int2: number, int4: number, int8: number): Buffer {
  const batch = rowBatch(0);
  beginRow(batch);
  for (const [field, value] of [int2, int4, int8].entries()) setValue(batch, 0, field, value);
  batch.end = 1;
  const columns = [column('int2', 0), column('int4', 1), column('int8', 2)];
  return Buffer.concat([...encodeRows(columns, batch, Uint32Array.of(0))]).subarray(19, -2);
}

test.each([
  [32_767, 2_147_483_647, Number.MAX_SAFE_INTEGER],
  [-32_768, -2_147_483_648, Number.MIN_SAFE_INTEGER],
  [0, 0, 2 ** 63 - 1024],
  [0, 0, -(2 ** 63)],
  [-1, -1, -1],
  [1, 1, 4_294_967_296],
])('integers are encoded in full: %d, %d, %d', (int2, int4, int8) => {
  const row = encoded(int2, int4, int8);
  expect([row.readInt16BE(0), row.readInt32BE(2), row.readInt32BE(8), row.readInt32BE(16)]).toEqual([
    3, 2, 4, 8,
  ]);
  expect([row.readInt16BE(6), row.readInt32BE(12), Number(row.readBigInt64BE(20))]).toEqual([
    int2,
    int4,
    int8,
  ]);
});

test.each([
  [32_768, 0, 0],
  [-32_769, 0, 0],
  [0, 2_147_483_648, 0],
  [0, -2_147_483_649, 0],
  [0, 0, 2 ** 63],
  [0, 0, -(2 ** 63) - 2048],
  [0, 0, Number.POSITIVE_INFINITY],
])('an integer that does not fit into its column is refused: %d, %d, %d', (int2, int4, int8) => {
  expect(() => encoded(int2, int4, int8)).toThrow(RangeError);
});

/** A time or day as a batch encodes it, without the number of columns or the length. */
function encodedTime(type: 'date' | 'timestamptz', value: number): Buffer {
  const batch = rowBatch(0);
  beginRow(batch);
  setValue(batch, 0, 0, value);
  batch.end = 1;
  return Buffer.concat([...encodeRows([column(type, 0)], batch, Uint32Array.of(0))]).subarray(25, -2);
}

test('days and times before 1970 and 2000 are encoded as a number of days or microseconds from 2000', () => {
  expect(encodedTime('date', -1).readInt32BE(0)).toBe(-10_958);
  expect(encodedTime('timestamptz', -0.5).readBigInt64BE(0)).toBe(-946_684_800_500_000n);
  expect(() => encodedTime('date', 2 ** 32)).toThrow(RangeError);
  expect(() => encodedTime('timestamptz', 1e13)).toThrow(RangeError);
});
