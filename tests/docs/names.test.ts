// Names in our pages are names of the program: codes, operators, functions, columns, variables.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../extension/errors/error-table';
import { settings } from '../../host-shim/config';
import { headContract, materialOf } from '../../manifests/reader/catalog';
import { loadManifest } from '../../manifests/reader/manifest';
import { markdownPages } from './fenced-blocks';

const ROOT = join(__dirname, '..', '..');
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const guide = textOf('manifests/guide/README.md');
const manifest = loadManifest();
const head = headContract(manifest);

test.each(markdownPages())('%s names only codes that exist', (page) => {
  const named = [...textOf(page).matchAll(/`(E_[A-Z_]*[A-Z])`/g)].map((match) => match[1] ?? '');
  expect(named.filter((code) => !Object.keys(ERRORS).includes(code))).toEqual([]);
});

test.each(markdownPages())('%s names only settings that exist', (page) => {
  const named = [...textOf(page).matchAll(/\b(QAL_[A-Z_]+|DATABASE_[A-Z_]+|TRUST_PROXY|DATA_DIR)\b/g)];
  const known = settings.map((setting) => setting.name);
  expect(named.map((match) => match[1] ?? '').filter((name) => !known.includes(name))).toEqual([]);
});

test('the guide names only columns that exist', () => {
  const columns = materialOf(manifest, head, 'allpv')?.columns;
  const named = [...guide.matchAll(/\ballpv\.([a-z_]+)/g)].map((match) => match[1] ?? '');
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => columns?.has(name) !== true)).toEqual([]);
});

test('the guide names every operator and every function', () => {
  const { filter_operators, calc_functions, result_keys } = head.request;
  for (const name of [...Object.keys(filter_operators), ...Object.keys(calc_functions), ...result_keys]) {
    expect(guide).toContain(`\`${name}\``);
  }
});

test('the guide tells the limits that hold', () => {
  expect(guide).toContain(`1 to ${head.limits.max_rows} (${head.limits.default_rows} if left out)`);
});
