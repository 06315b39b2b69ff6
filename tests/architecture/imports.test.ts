// Every import is allowed by permitted-imports.yaml.
import { existsSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import {
  ANY,
  alternatives,
  doors,
  IMPORT_TABLE_FILE,
  matches,
  narrow,
  narrowRow,
  ROOMS,
  roomOf,
  rooms,
} from './import-table';
import { ROOT, sourceFiles } from './source-files';

const files = sourceFiles();

const IMPORT =
  /(?:^|[\n;])\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"]([^'"]+)['"]/gm;

/**
 * In a template, any path from the package root is treated as an import, because the name of an included template may be in a
 * variable.
 */
const INCLUDE = /['"`]\/((?:host-shim|extension)\/[^'"`\s]+)['"`]|\binclude\(\s*['"`](\.[^'"`]+)['"`]/g;

const STYLE_IMPORT = /@import\s+(?:url\(\s*)?["']?([^"')\s;]+)/g;

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

function targetOf(from: string, specifier: string): string {
  // Dynamic imports contain the path that Node resolves in dist/.
  const path = posix.join(posix.dirname(from), specifier).replace(/\.js$/, '');
  return existsSync(join(ROOT, `${path}.ts`)) ? `${path}.ts` : path;
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

const isBuiltin = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier);

/** The imports in a file, depending on its kind; template includes count as imports. */
function specifiersIn(path: string, text: string): readonly string[] {
  if (path.endsWith('.css')) return [...text.matchAll(STYLE_IMPORT)].map(([, named = '']) => named);
  if (!path.endsWith('.eta')) return importsOf(text);
  return [...text.matchAll(INCLUDE)].map(([, fromRoot, nearby = '']) => {
    if (fromRoot === undefined) return nearby;
    return `./${posix.relative(posix.dirname(path), fromRoot)}`;
  });
}

function faultsOf(path: string, text: string): readonly string[] {
  const room = roomOf(path);
  const { uses, packages } = rooms[room ?? ''] ?? {};
  if (room === undefined || uses === undefined || packages === undefined)
    return [`${path} is in no room of ${IMPORT_TABLE_FILE}`];
  const only = narrowRow(path);
  const permitted = only?.packages ?? packages;
  return specifiersIn(path, text).flatMap((specifier) => {
    if (isBuiltin(specifier)) {
      return specifier.startsWith('node:') ? [] : [`${path}: write 'node:${specifier}' for '${specifier}'`];
    }
    if (!specifier.startsWith('.')) {
      const name = packageOf(specifier);
      const door = doors[name];
      if (door !== undefined && !/^(tests|bench)\//.test(path) && !matches(path, door))
        return [`${path}: only ${door} imports ${name}`];
      return permitted.includes(ANY) || permitted.includes(name)
        ? []
        : [`${path}: ${room} does not list the package ${name}`];
    }
    const target = targetOf(path, specifier);
    if (only !== undefined)
      return only.imports.some((pattern) => matches(target, pattern))
        ? []
        : [`${path}: this folder does not allow ${target}`];
    const other = roomOf(target);
    return other === room || uses.includes(ANY) || (other !== undefined && uses.includes(other))
      ? []
      : [`${path}: ${room} does not allow ${target}`];
  });
}

test('every room imports only rooms that are listed before it, so there are no cycles', () => {
  const forbidden = ROOMS.flatMap((room, index) =>
    (rooms[room]?.uses ?? [])
      .filter((used) => used !== ANY && !ROOMS.slice(0, index).includes(used))
      .map((used) => `${room} -> ${used}`),
  );
  expect(forbidden).toEqual([]);
});

test('every import is allowed', () => {
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap((file) => faultsOf(file.path, file.text))).toEqual([]);
});

test('only one file runs COPY, even among tests and benchmarks', () => {
  const users = files.filter(({ text }) => importsOf(text).includes('pg-copy-streams'));
  expect(users.map(({ path }) => path)).toEqual(['db/run-copy.ts']);
});

/** The imports from one folder into another. */
const crossings = (from: string, to: string): readonly string[] =>
  files
    .filter(({ path }) => path.startsWith(from))
    .flatMap(({ path, text }) =>
      specifiersIn(path, text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(path, specifier))
        .filter((target) => target.startsWith(to))
        .map((target) => `${path} -> ${target}`),
    );

test("only the host's main.ts imports the extension, and only the entry point imports main.ts", () => {
  expect(crossings('host-shim/', 'extension/')).toEqual(['host-shim/main.ts -> extension/index.ts']);
  expect(crossings('host-shim/', 'host-shim/main.ts')).toEqual(['host-shim/cli/qal.ts -> host-shim/main.ts']);
  expect(crossings('host-shim/', 'manifests/')).toEqual([]);
});

test('only extension-api.ts imports the files in its folder', () => {
  const callers = crossings('', 'host-shim/extension-api/').map((crossing) => crossing.replace(/ -> .*/, ''));
  const outside = callers.filter((caller) => !caller.startsWith('host-shim/extension-api/'));
  expect([...new Set(outside)]).toEqual(['host-shim/extension-api.ts']);
});

test('the extension imports the host only through its API', () => {
  const known = crossings('extension/', 'host-shim/').map((crossing) => crossing.replace(/.* -> /, ''));
  expect([...new Set(known)]).toEqual(['host-shim/extension-api.ts']);
});

test.each(['.eta', '.css'])('the imports of files with the extension %s are allowed', (ending) => {
  const found = sourceFiles(ending);
  expect(found.length).toBeGreaterThan(1);
  expect(found.flatMap((file) => faultsOf(file.path, file.text))).toEqual([]);
});

test('every permission in the table is used', () => {
  const all = [...files, ...sourceFiles('.eta'), ...sourceFiles('.css')].map(({ path, text }) => ({
    path,
    room: roomOf(path),
    named: specifiersIn(path, text).map((specifier) =>
      specifier.startsWith('.') ? targetOf(path, specifier) : packageOf(specifier),
    ),
  }));
  const unusedInRooms = ROOMS.flatMap((room) => {
    const named = all.filter((file) => file.room === room).flatMap((file) => file.named);
    const known = new Set([...named, ...named.map(roomOf)]);
    const { uses = [], packages = [] } = rooms[room] ?? {};
    return [...uses, ...packages]
      .filter((permit) => permit !== ANY && !known.has(permit))
      .map((permit) => `${room} -> ${permit}`);
  });
  const unusedInFolders = narrow.flatMap(({ files: folder, imports, packages = [] }) => {
    const named = all.filter(({ path }) => matches(path, folder)).flatMap((file) => file.named);
    return [...imports, ...packages]
      .flatMap(alternatives)
      .filter((permit) => !named.some((one) => matches(one, permit)))
      .map((permit) => `${folder} -> ${permit}`);
  });
  expect([...unusedInRooms, ...unusedInFolders]).toEqual([]);
});

test('there are no import cycles, not even of types', () => {
  const graph = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(path, specifier)),
    ]),
  );
  const reachableFrom = (start: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const visit = (path: string): void => {
      for (const next of graph.get(path) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        visit(next);
      }
    };
    visit(start);
    return seen;
  };
  const inCycles = [...graph.keys()].filter((path) => reachableFrom(path).has(path));
  expect(inCycles).toEqual([]);
});

describe('the check itself', () => {
  test.each([
    [
      'extension/language/parse/new.ts',
      "import { planQuery } from '../plan/plan-query';",
      'does not allow extension/language/plan/plan-query',
    ],
    ['extension/language/plan/new.ts', "import type { Knex } from 'knex';", 'does not list the package knex'],
    [
      'extension/data/new.ts',
      "import { runQuery } from '../query/run-query';",
      'does not allow extension/query/run-query',
    ],
    [
      'extension/api/new.ts',
      "import { from } from 'pg-copy-streams';",
      'only db/run-copy.ts imports pg-copy-streams',
    ],
    [
      'extension/api/routes/new.ts',
      "import {\n  a,\n} from '../../../host-shim/main';",
      'does not allow host-shim/main',
    ],
    [
      'host-shim/rest/new.ts',
      "export { register } from '../../extension/index';",
      'does not allow extension/index',
    ],
    ['manifests/reader/new.ts', "const it = await import('../../db/connect');", 'does not allow db/connect'],
    [
      'extension/pages/views/new.eta',
      "<%~ include('/host-shim/admin/views/parts/menu', {}) %>",
      'does not allow host-shim/admin/views/parts/menu',
    ],
    [
      'host-shim/admin/views/new.eta',
      "<% const part = '/extension/pages/views/parts/'; %><%~ include(part + 'words', {}) %>",
      'does not allow extension/pages/views/parts',
    ],
    [
      'extension/pages/views/new.eta',
      "<%~ include('../../api/routes/x') %>",
      'does not allow extension/api/routes/x',
    ],
    [
      'host-shim/admin/style/new.css',
      '@import "some-package/dist/style.css";',
      'does not list the package some-package',
    ],
    [
      'extension/pages/style/new.css',
      "@import url('../../../host-shim/admin/style/admin.css');",
      'does not allow host-shim/admin/style/admin.css',
    ],
    ['somewhere/new.ts', '', 'is in no room'],
    ['db/new.ts', "import { join } from 'path';", "write 'node:path'"],
  ])('%s', (path, text, fault) => {
    expect(faultsOf(path, text)).toEqual([expect.stringContaining(fault)]);
  });

  test('allows what the table allows', () => {
    expect(faultsOf('extension/language/parse/new.ts', "import type { Json } from '../types/json';")).toEqual(
      [],
    );
    const part = "<%~ include('/extension/pages/views/parts/no-sites', it) %>";
    expect(faultsOf('extension/pages/views/new.eta', part)).toEqual([]);
    expect(faultsOf('db/new.ts', "import { join } from 'node:path';\nimport pg from 'pg';")).toEqual([]);
  });
});
