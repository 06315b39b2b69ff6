// Links between pages are not broken, and every page can be reached.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { markdownPages } from './fenced-blocks';

const ROOT = join(__dirname, '..', '..');

function linksOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map((match) => match[1] ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => join(dirname(page), target));
}

const pages = markdownPages();

test('every link refers to an existing file', () => {
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${page} -> ${target}`),
  );
  expect(broken).toEqual([]);
});

/** Files and folders of the repository whose names are in backticks. */
function pathsOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const paths = text.matchAll(/`((?:extension|host-shim|manifests|db|tests|docs|bench|deploy)\/[\w./-]*)`/g);
  return [...paths].map(([, path = '']) => path);
}

test('every file named on a page exists', () => {
  const named = ['CONTRIBUTING.md', 'SECURITY.md', ...pages].flatMap((page) =>
    pathsOf(page).map((path) => ({ page, path })),
  );
  // The conformance page contains file names relative to tests/.
  const missing = named.filter(
    ({ path }) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, 'tests', path)),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});

test('every page can be reached from the README', () => {
  const seen = new Set(['README.md', 'CHANGELOG.md']);
  const walk = (page: string): void => {
    seen.add(page);
    for (const target of linksOf(page)) if (target.endsWith('.md') && !seen.has(target)) walk(target);
  };
  walk('README.md');
  expect(pages.filter((page) => !seen.has(page))).toEqual([]);
});

test('the README fits on one screen', () => {
  const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n');
  expect(lines.length).toBeLessThan(70);
});
