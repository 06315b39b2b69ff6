// Rules for the names, sizes and style of source files.
import { basename } from 'node:path';
import { HOST_LOCKS } from '../../db/advisory-locks';
import { LOCKS } from '../../extension/data/storage/advisory-locks';
import { bareCode, sourceFiles } from './source-files';

const files = sourceFiles();

const MAX_LINES = { program: 250, tests: 500 };

/** Files that may be longer, with the reasons. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'extension/language/errors/error-table.ts': 'the table of all errors with their messages',
  'host-shim/server/host-settings.ts': "the table of all the host's settings",
  'tests/host-shim/config.test.ts': 'the table of all settings, with values that they accept and refuse',
};

/** Files that may read the environment. */
const READS_ENVIRONMENT = [
  'host-shim/cli/qal.ts',
  // DuckDB's allocator can be configured only through the environment.
  'extension/query/columns/run-prepared.ts',
  'tests/support/**',
  'tests/language/cases.test.ts',
  'tests/data/import/random-history.test.ts',
  'tests/data/export/moved-history.test.ts',
  'tests/data/export/random-site.test.ts',
  'tests/pages/browser/support/chromium.ts',
  'tests/host-shim/program.test.ts',
  'tests/host-shim/bare-host.ts',
  'tests/host-shim/notes-program.ts',
  'tests/torture/run.ts',
  'bench/**',
];

/** Files that may use casts, with the reasons. */
const CASTS: Readonly<Record<string, string>> = {
  'extension/language/parse/**': 'a parser: assigns types to checked values',
  'host-shim/server/config.ts': 'a parser: converts environment variables to settings',
  'extension/language/errors/query-error.ts':
    'the compiler cannot see that a code and its parameters belong together',
  'extension/language/sql/sql.ts': 'Knex does not accept a read-only list as a binding',
};

const isListed = (path: string, patterns: readonly string[]) =>
  patterns.some((entry) => path === entry || (entry.endsWith('**') && path.startsWith(entry.slice(0, -2))));

const offenders = (isOffender: (file: { path: string; text: string }) => boolean) =>
  files.filter(isOffender).map((file) => file.path);

const isTest = (path: string) => path.startsWith('tests/') || path.startsWith('bench/');

test('file names are kebab-case', () => {
  const name = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|bench))?\.ts$/;
  expect(offenders(({ path }) => !name.test(basename(path)))).toEqual([]);
});

test('folder names are kebab-case', () => {
  const folders = new Set(files.flatMap(({ path }) => path.split('/').slice(0, -1)));
  expect([...folders].filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toEqual([]);
});

test('no file or folder is called utils, helpers, common or misc', () => {
  expect(offenders(({ path }) => /(^|\/)(utils?|helpers?|common|misc)(\.ts$|\/)/.test(path))).toEqual([]);
});

test('only the entry points of the extension, the host API and the test host re-export', () => {
  const allowed = ['extension/index.ts', 'host-shim/extension-api.ts', 'tests/support/test-host.ts'];
  expect(
    offenders(
      ({ path, text }) => !allowed.includes(path) && /^export\s*(\*|\{[^}]*\}\s*from)/m.test(bareCode(text)),
    ),
  ).toEqual([]);
});

test('the only index.ts is extension/index.ts', () => {
  expect(offenders(({ path }) => basename(path) === 'index.ts')).toEqual(['extension/index.ts']);
});

test('a file starts with at most three comment lines', () => {
  const headerOf = (text: string) => /^(?:\/\/.*\n)*/.exec(text.replace(/^#!.*\n/, ''))?.[0] ?? '';
  expect(offenders(({ text }) => headerOf(text).split('\n').length - 1 > 3)).toEqual([]);
});

test('all long files, and only those, are listed with a reason', () => {
  const limit = (path: string) => (isTest(path) ? MAX_LINES.tests : MAX_LINES.program);
  const long = offenders(({ path, text }) => text.trimEnd().split('\n').length > limit(path));
  expect(long.sort()).toEqual(Object.keys(LONG_FILES).sort());
});

test("only the program's entry point reads the environment", () => {
  expect(
    offenders(
      ({ path, text }) => !isListed(path, READS_ENVIRONMENT) && /\bprocess\.env\b/.test(bareCode(text)),
    ),
  ).toEqual([]);
});

test('only tests may use any, and nothing silences the compiler', () => {
  const excuse = ['biome-ignore', 'lint/suspicious/noExplicitAny'].join(' ');
  expect(offenders(({ path, text }) => !isTest(path) && text.includes(excuse))).toEqual([]);
  const ignores = new RegExp(['@ts-ignore', '@ts-nocheck', '@ts-expect-error'].join('|'));
  expect(
    offenders(({ path, text }) => !path.startsWith('tests/architecture/') && ignores.test(text)),
  ).toEqual([]);
});

test('no switch has a default case, so that the compiler finds every switch that does not handle a new case', () => {
  expect(offenders(({ path, text }) => !isTest(path) && /^\s*default:\s*$/m.test(bareCode(text)))).toEqual(
    [],
  );
});

test('object literals are not spread into other literals', () => {
  expect(offenders(({ text }) => /\.\.\.\{/.test(bareCode(text)))).toEqual([]);
});

test('the server reads the clock in one place and passes it on', () => {
  const allowed = [
    'host-shim/cli/command-line.ts',
    // A default that only tests and the demo use.
    'extension/data/import/import-rows.ts',
    // Measures how long a process takes to start or stop.
    'db/embedded/**',
  ];
  const isServer = (path: string) =>
    !isTest(path) && !path.startsWith('docs/') && !path.includes('/browser/');
  const clock = /\bDate\.now\b|\bnew Date\(\)|\bTemporal\.Now\b/;
  expect(
    offenders(({ path, text }) => isServer(path) && !isListed(path, allowed) && clock.test(bareCode(text))),
  ).toEqual([]);
});

test('only parsers and listed files cast', () => {
  const cast = /\bas\s+(?!const\b)[A-Za-z{([]/;
  const withoutImports = (code: string) => code.replace(/(^|\n)\s*(import|export)\b[^;]*?from[^;]*;/g, '');
  const hasCast = (text: string) => cast.test(withoutImports(bareCode(text)));
  const allowed = Object.keys(CASTS);
  expect(offenders(({ path, text }) => !isTest(path) && !isListed(path, allowed) && hasCast(text))).toEqual(
    [],
  );
});

test('the query language is pure: it imports nothing from Node except node:crypto, and uses no clock or randomness', () => {
  const impure =
    /'node:(?!crypto')|\bDate\.now\b|\bnew Date\(\)|\bTemporal\.Now\b|\bdayjs\(\)|\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\b(process|performance|globalThis)\./;
  expect(offenders(({ path, text }) => path.startsWith('extension/language/') && impure.test(text))).toEqual(
    [],
  );
});

test('the query language converts values to strings only with the typed function, which accepts only scalars', () => {
  const isLanguage = (path: string) => /^extension\/language\/(?!time\/)/.test(path);
  expect(
    offenders(({ path, text }) => isLanguage(path) && /\bString\b(?!\.raw\b)/.test(bareCode(text))),
  ).toEqual([]);
});

test('commands write only through the escaping writer', () => {
  const edges = [
    'host-shim/cli/check-node.ts',
    'host-shim/cli/command-line.ts',
    'host-shim/server/logging.ts',
  ];
  const streams = /\bprocess\.(stdout|stderr)\b/;
  const unchecked = /\b(stdout|stderr)\.raw\b/;
  const isProgram = (path: string) => !isTest(path) && !path.startsWith('docs/');
  expect(
    offenders(({ path, text }) => isProgram(path) && !edges.includes(path) && streams.test(bareCode(text))),
  ).toEqual([]);
  expect(offenders(({ path, text }) => isProgram(path) && unchecked.test(bareCode(text)))).toEqual([
    'host-shim/cli/progress.ts',
  ]);
});

test('every advisory lock has a unique number in one of two tables', () => {
  const numbers = [...Object.values(HOST_LOCKS), ...Object.values(LOCKS)];
  expect([...new Set(numbers)]).toEqual(numbers);
  const isTable = (path: string) => path.endsWith('/advisory-locks.ts');
  const number = /\b7_?(?:216|411)_?\d{3}\b|advisory\w*lock\w*\(\d/;
  expect(offenders(({ path, text }) => !isTest(path) && !isTable(path) && number.test(text))).toEqual([]);
});

test('comments do not mention unfinished work', () => {
  const marks = new RegExp(
    `\\b(${['TO', 'FIX'].map((word, index) => word + ['DO', 'ME'][index]).join('|')})\\b`,
  );
  expect(offenders(({ text }) => marks.test(text))).toEqual([]);
});

test('no code prints to the console', () => {
  expect(offenders(({ text }) => /\bconsole\.\w+\(/.test(bareCode(text)))).toEqual([]);
});

test('default exports are not used', () => {
  expect(offenders(({ path, text }) => !isTest(path) && /^export default\b/m.test(bareCode(text)))).toEqual(
    [],
  );
});

test('every exported name is used in another file', () => {
  const filesWith = new Map<string, number>();
  for (const { text } of files)
    for (const word of new Set(bareCode(text).match(/\w+/g)))
      filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
  const unused = files
    // Third-party extensions use the exports of extension-api.
    .filter(({ path }) => !isTest(path) && !path.startsWith('host-shim/extension-api/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm)]
        .filter(([, name = '']) => filesWith.get(name) === 1)
        .map(([, name]) => `${path}: ${name}`),
    );
  expect(unused).toEqual([]);
});

test('only the folder of site changes names their staging tables in SQL', () => {
  const folder = 'extension/data/change/';
  const staging = sourceFiles('.sql').find(({ path }) => path === `${folder}staging.sql`)?.text ?? '';
  const tables = [...staging.matchAll(/^CREATE TEMPORARY TABLE (\w+)/gm)].map(([, table]) => table);
  expect(tables).toContain('staged');
  const named = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE|USING|TRUNCATE|ANALYZE) (${tables.join('|')})\\b`);
  expect(
    offenders(
      ({ path, text }) => path.startsWith('extension/') && !path.startsWith(folder) && named.test(text),
    ),
  ).toEqual([]);
});
