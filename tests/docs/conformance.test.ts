// Every row of docs/conformance.md names existing tests: a file below tests/ and a title in it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

const TESTS = join(__dirname, '..');
const page = readFileSync(join(__dirname, '..', '..', 'docs', 'conformance.md'), 'utf8');

/** The rows of all tables as cells, without headings. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (-|item \|)/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );

const TEXT = String.raw`(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|${'`'}([^${'`'}]*)${'`'})`;

/** Places of titles in a test file: calls of test and describe, calls after each(...), and names of table rows. */
const PLACES = [
  String.raw`\b(?:test|describe)\(\s*`,
  String.raw`\)\(\s*`,
  String.raw`\[\s*`,
  String.raw`\b(?:label|title): `,
].map((before) => new RegExp(before + TEXT, 'g'));

function titlesOf(file: string): ReadonlySet<string> {
  const text = readFileSync(join(TESTS, file), 'utf8');
  if (file.endsWith('.yaml')) {
    const cases: unknown = load(text);
    return new Set(Array.isArray(cases) ? cases.map((it) => String(Object(it).title)) : []);
  }
  const found = PLACES.flatMap((place) => [...text.matchAll(place)]);
  return new Set(
    found.map(([, single, double, template]) =>
      (single ?? double ?? template ?? '').replace(/\\(.)/g, (_, letter: string) => letter),
    ),
  );
}

const known = new Map<string, ReadonlySet<string>>();

/** Why `file` title does not name a test, if it does not. */
function faultOf(shown: string): string | undefined {
  const [, file, title] = /^`([^`]+)` (.+)$/.exec(shown) ?? [];
  if (file === undefined || title === undefined) return `not a file and a title: ${shown}`;
  if (!existsSync(join(TESTS, file))) return `no file ${file}`;
  const titles = known.get(file) ?? titlesOf(file);
  known.set(file, titles);
  return titles.has(title) ? undefined : `${file} has no test "${title}"`;
}

test('every row has an item and a test', () => {
  expect(rows.length).toBeGreaterThan(300);
  expect(rows.filter(([item, , shown, ...more]) => !item || !shown || more.length > 0)).toEqual([]);
});

test('every test that is named exists', () => {
  const faults = rows.flatMap(([item = '', , shown = '']) =>
    shown.split('<br>').flatMap((one) => {
      const fault = faultOf(one.trim());
      return fault === undefined ? [] : [`${item}: ${fault}`];
    }),
  );
  expect(faults).toEqual([]);
});

test.each([
  ['docs/no-such.test.ts', 'no file'],
  ['docs/conformance.test.ts', 'has no test'],
])('a title that is not in %s is found', (file, fault) => {
  expect(faultOf(`\`${file}\` no ${'such'} title`)).toContain(fault);
});
