// CSV cells for programs and for spreadsheets, and NDJSON with column names that are special in JavaScript.
import { formatAnswer } from '../../../extension/api/answer-formats/format-answer';
import type { StreamedFormat } from '../../../extension/api/answer-formats/format-names';
import type { Row, RowBatches } from '../../../extension/language/types/compiled-query';

const holdPlaceUntil = () => undefined;
const { signal } = new AbortController();

async function* inBatches(batches: readonly (readonly Row[])[]): RowBatches {
  yield* batches;
}

async function textOf(
  format: StreamedFormat,
  batches: readonly (readonly Row[])[],
  { names = ['name', 'n'], forSpreadsheet = false } = {},
): Promise<string> {
  const columns = names.map((name) => ({ name, type: 'text' as const }));
  const pieces = await formatAnswer({ columns, rows: inBatches(batches), holdPlaceUntil }, format, {
    signal,
    forSpreadsheet,
  });
  const parts: Uint8Array[] = [];
  for await (const piece of pieces) parts.push(piece);
  return Buffer.concat(parts).toString('utf8');
}

test('writes the header and one line per row', async () => {
  const batches = [[['a', 1]], [['b', -2.5]]] as const;
  expect(await textOf('csv', batches)).toBe('name,n\r\na,1\r\nb,-2.5\r\n');
});

test.each([
  ['null is an empty cell', null, ''],
  ['an empty string is two quotes', '', '""'],
  ['a comma is quoted', 'a,b', '"a,b"'],
  ['a quote is doubled', 'say "a"', '"say ""a"""'],
  ['line endings are not changed', 'a\r\nb\nc', '"a\r\nb\nc"'],
  ['a formula is unchanged', '=1+1', '=1+1'],
  ['the smallest double is written in full', 5e-324, '5e-324'],
])('%s', async (_title, value, cell) => {
  expect(await textOf('csv', [[[value, 0]]])).toBe(`name,n\r\n${cell},0\r\n`);
});

const spreadsheet = (batches: readonly (readonly Row[])[]) =>
  textOf('csv', batches, { forSpreadsheet: true });

test('a spreadsheet gets a byte order mark, quoted strings and plain numbers', async () => {
  expect(await spreadsheet([[['Übersicht', -1]], [[null, 2]]])).toBe(
    '\ufeff"name","n"\r\n"Übersicht",-1\r\n,2\r\n',
  );
});

// conformance: answer.spreadsheet-runs-no
test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠x'])(
  'a spreadsheet does not run %j',
  async (formula) => {
    expect(await spreadsheet([[[formula, 0]]])).toContain(`\r\n"'${formula}",0\r\n`);
  },
);

test.each([
  ['a;=1+1', "a;'=1+1"],
  ['a;;@b;-c', "a;;'@b;'-c"],
  ['a\t=1', "a\t'=1"],
  ['a\r\n=1\n+2\r-3', "a\r\n'=1\n'+2\r'-3"],
  ['\t=1', "'\t'=1"],
  ['a;"=1', 'a;""\'=1'],
  ['a;＝1', "a;'＝1"],
  ['a; b=1; c-d', 'a; b=1; c-d'],
  // attack: same-after-semicolon-tab
])('a spreadsheet that also splits at other characters does not run %j', async (text, written) => {
  expect(await spreadsheet([[[text, 0]]])).toContain(`\r\n"${written}",0\r\n`);
});

test('a quote inside a formula is doubled for a spreadsheet', async () => {
  expect(await spreadsheet([[['=HYPERLINK("x")', 0]]])).toContain('"\'=HYPERLINK(""x"")",0');
});

test('NDJSON contains an object for each row, no matter what the columns are called', async () => {
  const names = ['__proto__', 'toString', '1'];
  const text = await textOf('ndjson', [[['"\u2028', null, 0]], [[null, 1.5, '']]], { names });
  expect(text).toBe(
    '{"__proto__":"\\"\u2028","toString":null,"1":0}\n{"__proto__":null,"toString":1.5,"1":""}\n',
  );
});

// conformance: answer.answer-formats
test.each([false, true])(
  'CSV with a single column has no empty lines (for a spreadsheet: %s)',
  async (forSpreadsheet) => {
    const text = await textOf('csv', [[[null], ['']], [[1]]], { names: ['n'], forSpreadsheet });
    expect(text.replace(/^\ufeff/, '').replaceAll('"n"', 'n')).toBe('n\r\n""\r\n""\r\n1\r\n');
  },
);

test('NDJSON with a single column distinguishes null from an empty string', async () => {
  expect(await textOf('ndjson', [[[null], ['']]], { names: ['n'] })).toBe('{"n":null}\n{"n":""}\n');
});

test('without rows, CSV is only a header, and NDJSON is empty', async () => {
  expect(await textOf('csv', [])).toBe('name,n\r\n');
  expect(await textOf('ndjson', [])).toBe('');
});

test('if reading fails, the error comes after the earlier rows', async () => {
  async function* failing(): RowBatches {
    yield [['a', 1]];
    throw new Error('gone');
  }
  const columns = [{ name: 'name', type: 'text' as const }];
  const pieces = await formatAnswer({ columns, rows: failing(), holdPlaceUntil }, 'ndjson', { signal });
  expect(String((await pieces.next()).value)).toBe('{"name":"a"}\n');
  await expect(pieces.next()).rejects.toThrow('gone');
});
