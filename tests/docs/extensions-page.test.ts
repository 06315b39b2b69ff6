// The extension in docs/how-to/write-an-extension.md works, and the reference lists every action and filter.
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';
import * as zod from 'zod';
import { bundleBrowserModules } from '../../docs/bundle-browser-modules';
import * as extensionApi from '../../host-shim/extension-api';
import { PACKAGE_ROOT } from '../../host-shim/extension-api';
import { configure } from '../../host-shim/server/config';
import { logInAs } from '../support/page-client';
import { runCommand } from '../support/run-command';
import { startTestHost } from '../support/test-host';
import { blocksOf } from './fenced-blocks';

const PAGE = 'docs/how-to/write-an-extension.md';
const ROOT = join(__dirname, '..', '..');

// A temporary package that contains the host's pages and the example's folder.
jest.mock('../../host-shim/extension-api/package-root', () => {
  const { copyFileSync, mkdtempSync } = jest.requireActual<typeof import('node:fs')>('node:fs');
  const { tmpdir } = jest.requireActual<typeof import('node:os')>('node:os');
  const root = mkdtempSync(`${tmpdir()}/qal-docs-`);
  copyFileSync(`${__dirname}/../../package.json`, `${root}/package.json`);
  const actual = jest.requireActual<object>('../../host-shim/extension-api/package-root');
  return { ...actual, PACKAGE_ROOT: root, CODE_ROOT: root };
});

function put(path: string, text: string): void {
  const file = join(PACKAGE_ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const block = (language: string, index: number): string => blocksOf(PAGE, language)[index]?.text ?? '';

beforeAll(async () => {
  for (const path of ['package.json', 'tsconfig.json', 'host-shim/admin'])
    cpSync(join(ROOT, path), join(PACKAGE_ROOT, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(PACKAGE_ROOT, 'node_modules'));
  put('greeting/admin/views/greeting.eta', block('html', 0));
  put('greeting/admin/browser/greeting.ts', block('ts', 1));
  await bundleBrowserModules();
});
afterAll(() => rmSync(PACKAGE_ROOT, { recursive: true }));

/** The example's extension, loaded as the program would load it. */
function loadExample(): extensionApi.ExtensionFactory {
  const { code } = transformSync(block('ts', 0), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const exports: { greeting?: extensionApi.ExtensionFactory } = {};
  new Function('exports', 'require', code)(exports, (name: string) => (name === 'zod' ? zod : extensionApi));
  if (exports.greeting === undefined) throw new Error(`${PAGE} exports no extension called greeting.`);
  return exports.greeting;
}

test("the example's route, page, form and browser module work", async () => {
  const { extensions } = configure([loadExample()], { GREETING_WORD: 'Moin' });
  const host = await startTestHost({
    extensions,
    users: [{ login: 'ann', role: 'analyst' }],
  });
  try {
    const response = await host.request('GET', '/wp-json/greeting/v1/hello/world', { user: 'ann' });
    expect(response.body).toBe('Moin world, says ann.');
    const options = { database: { ...host.database, readerRole: '' }, installed: extensions };
    expect((await runCommand(options, ['greet', 'you'])).out).toBe('Moin you.\n');
    const refused = await host.request('GET', '/wp-json/greeting/v1/hello/world');
    expect([refused.status, refused.body]).toEqual([400, { refused: 'unauthorized' }]);

    const ann = await logInAs(host, 'ann');
    const { status, text } = await ann.get('/wp-admin/greeting');
    expect(status).toBe(200);
    expect(text).toContain('<label for="field-name">Name</label>');
    const [, script = ''] = /src="([^"]*\/greeting\/greeting-[^"]*)"/.exec(text) ?? [];
    expect((await ann.get(script)).text).toContain('greeting/v1/hello/page');
    const faulty = await ann.post('/wp-admin/greeting', { name: ' ' });
    expect([faulty.status, faulty.text]).toEqual([
      400,
      expect.stringContaining('Enter the name of someone to greet.'),
    ]);
    const greeted = await ann.post('/wp-admin/greeting', { name: '<world>' });
    expect((await ann.follow(greeted)).text).toContain('Hello &lt;world&gt;.');
    expect((await ann.post('/wp-admin/greeting', { name: 'x', _wpnonce: 'another' })).status).toBe(403);
  } finally {
    await host.stop();
  }
});

const namesIn = (source: string, type: string): string[] => {
  const body = new RegExp(`export interface ${type} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(\w+):/gm)].map((match) => match[1] ?? '');
};

test.each(['Actions', 'Filters'])('all %s are listed', (type) => {
  const names = namesIn(readFileSync(join(ROOT, 'host-shim', 'extension-api', 'hooks.ts'), 'utf8'), type);
  expect(names.length).toBeGreaterThan(2);
  const page = readFileSync(join(ROOT, 'docs/reference/extension-api.md'), 'utf8');
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
