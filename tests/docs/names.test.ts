// The error codes, operators, functions, columns and settings in the docs exist.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../extension/language/errors/error-table';
import { LEVEL_TITLES } from '../../host-shim/auth/key-levels';
import { PRODUCT } from '../../host-shim/main';
import { listSettings } from '../../host-shim/server/config';
import { headContract, materialNames, materialOf } from '../../manifests/reader/catalog';
import { type Contract, loadManifest } from '../../manifests/reader/manifest';
import { markdownPages } from './fenced-blocks';

const ROOT = join(__dirname, '..', '..');
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const guide = textOf('manifests/guide/README.md');
const manifest = loadManifest();
const head = headContract(manifest);

test.each(markdownPages())('%s contains only existing error codes', (page) => {
  const named = [...textOf(page).matchAll(/`(E_[A-Z_]*[A-Z])`/g)].map((match) => match[1] ?? '');
  expect(named.filter((code) => !Object.keys(ERRORS).includes(code))).toEqual([]);
});

test.each(markdownPages())('%s contains only existing settings', (page) => {
  const named = [...textOf(page).matchAll(/\b(QAL_[A-Z_]+|DATABASE_[A-Z_]+|TRUST_PROXY|DATA_DIR)\b/g)];
  const known = listSettings(PRODUCT.extensions).map(({ variable }) => variable);
  expect(named.map((match) => match[1] ?? '').filter((name) => !known.includes(name))).toEqual([]);
});

test('the page about storage contains every table', () => {
  const page = textOf('docs/data.md');
  const tables = [...textOf('db/schema.sql').matchAll(/^CREATE TABLE \w+\.(\w+)/gm)].map(
    (match) => match[1] ?? '',
  );
  expect(tables.length).toBeGreaterThan(50);
  expect(tables.filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

/** The `material.column` names on a page that do not exist in the contract. */
function unknownColumns(text: string, contract: Contract): readonly string[] {
  return materialNames(manifest, contract).flatMap((material) => {
    const columns = materialOf(manifest, contract, material)?.columns;
    const named = [...text.matchAll(new RegExp(`(?<![\\w.])${material}\\.([a-z_0-9]+)(?![\\w/])`, 'g'))];
    return named.flatMap(([name, column = '']) => (columns?.has(column) === true ? [] : [name]));
  });
}

test('the guide contains only existing columns', () => {
  const text = ['README', 'examples', 'errors']
    .map((name) => textOf(`manifests/guide/${name}.md`))
    .join('\n');
  expect([...text.matchAll(/\ballpv\.[a-z_]/g)].length).toBeGreaterThan(40);
  expect(unknownColumns(text, head)).toEqual([]);
});

describe.each([...manifest.contracts.values()].filter((contract) => contract !== head))(
  'the pages of $version',
  (contract) => {
    const folder = `manifests/guide/${contract.version}/`;
    const pages = markdownPages().filter((page) => page.startsWith(folder));

    test('contain only columns that the contract has', () => {
      expect(pages).not.toEqual([]);
      expect(pages.flatMap((page) => unknownColumns(textOf(page), contract))).toEqual([]);
    });

    test('contain every column', () => {
      const text = textOf(`${folder}materials.md`);
      const columns = materialNames(manifest, contract).flatMap((name) => [
        ...(materialOf(manifest, contract, name)?.columns.keys() ?? []),
      ]);
      expect(columns.filter((column) => !text.includes(`\`${column}\``))).toEqual([]);
    });

    test('contain the limits', () => {
      const { max_rows, default_rows } = contract.limits;
      expect(textOf(`${folder}qal.md`)).toContain(`1 to ${max_rows} (${default_rows} if left out)`);
    });
  },
);

test('the guide contains every operator and function', () => {
  const { filter_operators, calc_functions, result_keys } = head.request;
  for (const name of [...Object.keys(filter_operators), ...Object.keys(calc_functions), ...result_keys]) {
    expect(guide).toContain(`\`${name}\``);
  }
});

// conformance: service.guide-serves-live
test('the guide contains the limits', () => {
  expect(guide).toContain(`1 to ${head.limits.max_rows} (${head.limits.default_rows} if left out)`);
});

test('the levels of application passwords have the same names in the docs as on the pages', () => {
  const page = textOf('docs/how-to/application-passwords.md');
  const named = [...page.matchAll(/^\| `(\w+)` \| ([^|]*?) \|/gm)].map(([, level, title]) => [level, title]);
  expect(named).toEqual(Object.entries(LEVEL_TITLES));
});
