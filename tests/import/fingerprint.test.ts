// Fingerprints are stored, so their values are pinned. Different rows get different ones, and so do equal rows.
import { fingerprinter } from '../../extension/import/fingerprint';
import { COMPUTED_FIELDS } from '../../extension/import/page-view/view-fields';
import { makeRoom, type RowBatch, rowBatch } from '../../extension/import/row-batch';
import type { TableLayout } from '../../extension/import/table-layout';

const layoutOf = (names: readonly string[]): TableLayout => ({
  table: 'page_view',
  columns: names.map((name) => ({ name, type: 'int8', nullable: name !== 'device_id' })),
  texts: 0,
  fieldOf: (name) => names.indexOf(name),
});

/** The fingerprints of rows, each as the values of its columns by name. */
function printsOf(
  rows: readonly Readonly<Record<string, number>>[],
  columns: readonly string[] = ['at', 'page_id', 'device_id', 'os_id'],
  windowKeys = 1000,
): readonly string[] {
  const width = columns.length + 1;
  const batch: RowBatch = rowBatch({ width, extras: 0 });
  makeRoom(batch, 0, rows.length);
  const print = fingerprinter(
    { layout: layoutOf(columns), computed: COMPUTED_FIELDS, defaults: new Map([['device_id', 1]]) },
    windowKeys,
  );
  return rows.map((row, place) => {
    batch.values.fill(Number.NaN, place * width, place * width + width);
    for (const [field, name] of columns.entries()) {
      const value = row[name];
      if (value !== undefined) batch.values[place * width + field] = value;
    }
    print(batch, place);
    return Buffer.from(batch.fingerprints.subarray(place * 16, place * 16 + 16)).toString('hex');
  });
}

const ROW = { at: 1_770_000_000, page_id: 7, os_id: 3 };

test('its values never change', () => {
  expect(printsOf([{}, ROW, ROW])).toMatchInlineSnapshot(`
[
  "e3b0c44298fc1c149afbf4c8996fb924",
  "27c3378e8824c59cafb8fabdf29cf2a1",
  "9849b8090b93c1467adcefa941bbbd9d",
]
`);
});

test('rows that differ in any value get different fingerprints, and so do equal rows', () => {
  const rows = Array.from({ length: 10_000 }, (_, place) => ({
    ...ROW,
    page_id: place % 100,
    at: ROW.at + Math.floor(place / 100),
  }));
  const equal = Array.from({ length: 100 }, () => ROW);
  expect(new Set(printsOf([...rows, ...equal], undefined, 20_000)).size).toBe(10_100);
  expect(printsOf([{ page_id: 3 }])).not.toEqual(printsOf([{ os_id: 3 }]));
});

test('a column without a value changes nothing, and neither does a default', () => {
  const [before] = printsOf([ROW]);
  expect(printsOf([ROW], ['at', 'page_id', 'device_id', 'os_id', 'new_one'])).toEqual([before]);
  expect(printsOf([{ ...ROW, device_id: 1 }])).toEqual([before]);
  expect(printsOf([{ ...ROW, device_id: 2 }])).not.toEqual([before]);
});

test('in a nullable column, 0 differs from no value', () => {
  expect(printsOf([{ ...ROW, new_one: 0 }], ['at', 'page_id', 'os_id', 'new_one'])).not.toEqual(
    printsOf([ROW]),
  );
});
