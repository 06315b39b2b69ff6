// The answer in the playground: sorting its rows, and the curl command for the query.
import { execFileSync } from 'node:child_process';
import { asCurl } from '../../../extension/pages/browser/playground/as-curl';
import { sortRows } from '../../../extension/pages/browser/playground/sort-rows';
import type { Row } from '../../../extension/pages/browser/shared/query-answer';

describe('sortRows', () => {
  const column = (values: Row, direction: 'ascending' | 'descending') =>
    sortRows(
      values.map((value) => [value]),
      0,
      direction,
    ).map(([value]) => value);

  test('sorts numbers by value, with null last in both directions', () => {
    expect(column([10, null, 9, -1], 'ascending')).toEqual([-1, 9, 10, null]);
    expect(column([10, null, 9, -1], 'descending')).toEqual([10, 9, -1, null]);
  });

  test('sorts text by its UTF-8 bytes', () => {
    const texts = ['b', 'a', 'Z', 'ä', 'あ', '', '\u{1f600}', '\uffe6', 'ab'];
    const bytes = texts.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    expect(column(texts, 'ascending')).toEqual(bytes);
    expect(column(['\u{1f600}', '\u{1f601}', '\u{1f600}a'], 'ascending')).toEqual([
      '\u{1f600}',
      '\u{1f600}a',
      '\u{1f601}',
    ]);
  });

  test('keeps equal rows in order in both directions', () => {
    const rows: readonly Row[] = [
      [1, 'first'],
      [2, 'other'],
      [1, 'second'],
    ];
    expect(sortRows(rows, 0, 'ascending').map(([, name]) => name)).toEqual(['first', 'second', 'other']);
    expect(sortRows(rows, 0, 'descending').map(([, name]) => name)).toEqual(['other', 'first', 'second']);
  });
});

describe('the command', () => {
  const target = { address: 'https://example.com/wp-json/qa/query?version=latest', login: "o'brien" };

  test('contains the query on one line, with its keys in order, and no secret', () => {
    expect(asCurl('{\n  "b": 1,\n  "1": "a  b"\n}', { ...target, login: 'demo' })).toBe(
      `curl -sS -u 'demo:APPLICATION PASSWORD' -H 'Content-Type: application/json' --data-raw '{"b":1,"1":"a  b"}' 'https://example.com/wp-json/qa/query?version=latest'`,
    );
  });

  test('is split by a shell into the intended arguments', () => {
    const query = `{"url":"it's $HOME \`id\` \\\\ \\" ü 日本"}`;
    const words = asCurl(query, target).replace(/^curl/, "printf '%s\\n'");
    expect(execFileSync('sh', ['-c', words], { encoding: 'utf8' }).split('\n').slice(0, -1)).toEqual([
      '-sS',
      '-u',
      "o'brien:APPLICATION PASSWORD",
      '-H',
      'Content-Type: application/json',
      '--data-raw',
      query,
      target.address,
    ]);
  });
});
