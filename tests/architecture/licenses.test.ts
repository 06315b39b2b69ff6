// Every package in package-lock.json, including those for other platforms, has an allowed license.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

interface Package {
  readonly license?: string;
  readonly licenses?: readonly { readonly type: string }[];
}

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const packages: readonly (readonly [string, Package])[] = Object.entries(
  read('package-lock.json').packages,
).flatMap(([path, found]) => (path === '' ? [] : [[path, found as Package] as const]));

/** Licenses that allow use, modification and distribution, even with closed-source code, if the license text is kept. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** Packages that only tests and tools use. They are not part of our package or of the scripts in its pages. */
const FOR_TESTS: Readonly<Record<string, string>> = {
  '@wordpress/api-fetch': 'GPL-2.0-or-later',
  '@wordpress/hooks': 'GPL-2.0-or-later',
  '@wordpress/i18n': 'GPL-2.0-or-later',
  '@wordpress/private-apis': 'GPL-2.0-or-later',
  '@wordpress/url': 'GPL-2.0-or-later',
  'axe-core': 'MPL-2.0',
  'caniuse-lite': 'CC-BY-4.0',
};

/** Packages without a license in package.json. The license text is in their README. */
const IN_README: Readonly<Record<string, string>> = { pause: 'MIT' };

const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

/** Older packages have a `licenses` field, which package-lock.json does not include. */
function licenseOf(path: string, { license }: Package): string {
  if (license !== undefined) return license;
  const file = join(path, 'package.json');
  const { license: own, licenses }: Package = existsSync(join(ROOT, file)) ? read(file) : {};
  const text = own ?? licenses?.map(({ type }) => type).join(' AND ') ?? '';
  return text === '' ? (IN_README[nameOf(path)] ?? 'none') : text;
}

/** With OR, one permissive license is enough. With AND, all must be permissive. */
const isPermissive = (text: string): boolean =>
  text
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((part) => part.split(' AND ').every((one) => PERMISSIVE.has(one)));

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0)', true],
  ['Apache-2.0 AND MIT', true],
  ['MIT AND GPL-3.0', false],
  ['none', false],
])('%s: %s', (text, expected) => {
  expect(isPermissive(text)).toBe(expected);
});

test('every package has a permissive license or is used only by tests', () => {
  const found = packages.map(([path, one]) => [nameOf(path), licenseOf(path, one)] as const);
  const others = found.filter(([, license]) => !isPermissive(license));
  expect(Object.fromEntries(others)).toEqual(FOR_TESTS);
});

test('packages with other licenses are not installed with the program', () => {
  const lock: Readonly<Record<string, { readonly dev?: boolean }>> = read('package-lock.json').packages;
  const installed = Object.entries(lock).filter(([, { dev }]) => dev !== true);
  expect(installed.map(([path]) => nameOf(path)).filter((name) => name in FOR_TESTS)).toEqual([]);
});
