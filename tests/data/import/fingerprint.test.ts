// Fingerprints are stored, so they must never change. Otherwise, rows would not be recognized.
import { fingerprinter } from '../../../extension/data/import/fingerprint';
import { makeRoom, rowBatch, setValue } from '../../../extension/data/rows/row-batch';
import type { TableLayout } from '../../../extension/data/rows/table-layout';

const COLUMNS = ['at', 'page_id', 'reader_id', 'os_id'];
const layout: TableLayout = {
  table: 'page_view',
  columns: COLUMNS.map((name) => ({ name, type: 'int8', nullable: true, fallback: Number.NaN })),
  texts: 0,
  has: (name) => COLUMNS.includes(name),
  fieldOf: (name) => COLUMNS.indexOf(name),
};

type Row = Readonly<Record<string, number>>;

function printsOf(rows: readonly Row[], sourceName?: string): readonly string[] {
  const batch = rowBatch(0);
  makeRoom(batch, rows.length);
  const print = fingerprinter(layout, ['at', 'page_id', 'reader_id'], () => sourceName, 20_000);
  return rows.map((row, index) => {
    for (const [field, name] of COLUMNS.entries()) setValue(batch, index, field, row[name] ?? Number.NaN);
    print(batch, index);
    return Buffer.from(batch.fingerprints.subarray(index * 16, index * 16 + 16)).toString('hex');
  });
}

const ROW = { at: 1_770_000_000, page_id: 7, reader_id: 3 };

test('a fingerprint never changes', () => {
  expect([...printsOf([{}, ROW]), ...printsOf([ROW], 'web-1')]).toMatchInlineSnapshot(`
[
  "e3b0c44298fc1c149afbf4c8996fb924",
  "f3810db4792d0c5623cc648b2f28ff4f",
  "d955a258dd58cb4f434468fb16fda939",
]
`);
});

test('rows that differ in an identifying value get different fingerprints', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => ({
    ...ROW,
    page_id: index % 100,
    at: ROW.at + Math.floor(index / 100),
  }));
  expect(new Set(printsOf(rows)).size).toBe(10_000);
  expect(printsOf([{ page_id: 3 }])).not.toEqual(printsOf([{ reader_id: 3 }]));
  expect(printsOf([ROW], 'web-1')).not.toEqual(printsOf([ROW], 'web-2'));
  expect(printsOf([ROW], 'web-1')).not.toEqual(printsOf([ROW]));
});

test('other values do not affect the fingerprint', () => {
  expect(printsOf([{ ...ROW, os_id: 5 }])).toEqual(printsOf([ROW]));
});
