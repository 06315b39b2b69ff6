// During the build, renders README.md, CHANGELOG.md and all pages that they link to, for docs-app.ts. Copies other linked
// files.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import MarkdownIt, { type Token } from 'markdown-it';
import { DOCS_FILES, DOCS_FOLDER, DOCS_LIST, type DocPage } from '../host-shim/admin/docs-app';
import { DOCS_PATH, PACKAGE_ROOT } from '../host-shim/extension-api';

const FIRST_PAGES = ['README.md', 'CHANGELOG.md'];

const markdown = new MarkdownIt({ html: true });
// Wide tables can be scrolled, including with the keyboard.
const SCROLL_BOX = '<div class="scroll" tabindex="0">';
markdown.renderer.rules.table_open = () => `${SCROLL_BOX}<table>`;
markdown.renderer.rules.table_close = () => '</table></div>';

/** Returns a page's address. docs/ is the root; a README has its folder's address. */
const docAddress = (file: string): string =>
  posix.join(
    DOCS_PATH,
    file
      .replace(/^docs\//, '')
      .replace(/(^|\/)README\.md$/, '$1')
      .replace(/\.md$/, ''),
    '/',
  );

/** GitHub's anchor for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const textOf = (token: Token | undefined): string =>
  (token?.children ?? []).map(({ content }) => content).join('');

function render(file: string, text: string) {
  const tokens = markdown.parse(text, {});
  const linked: string[] = [];
  const follow = (token: Token, attribute: string) => {
    const target = token.attrGet(attribute);
    if (target === null || /^([a-z]+:|#)/.test(target)) return;
    const [path = '', anchor] = target.split('#', 2);
    const targetFile = posix.join(posix.dirname(file), path);
    linked.push(targetFile);
    const address = targetFile.endsWith('.md')
      ? docAddress(targetFile)
      : `${DOCS_PATH}/${DOCS_FILES}/${targetFile}`;
    token.attrSet(attribute, anchor === undefined ? address : `${address}#${anchor}`);
  };
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(textOf(tokens[index + 1])));
    // The Content Security Policy forbids inline styles.
    if (token.attrGet('style') === 'text-align:right') token.attrs = [['class', 'number']];
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') follow(child, 'href');
      if (child.type === 'image') follow(child, 'src');
    }
  }
  // The layout shows the title.
  const title = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  const body = title === -1 ? tokens : tokens.toSpliced(title, 3);
  const html = markdown.renderer.render(body, markdown.options, {}).replaceAll('<pre>', '<pre tabindex="0">');
  return { address: docAddress(file), title: textOf(tokens[title + 1]) || file, html, linked };
}

/** Replaces each file in one step, because a server or another test run may be reading it. */
export async function renderDocs(): Promise<void> {
  const pages: Record<string, DocPage> = {};
  const found = new Set(FIRST_PAGES);
  // Iterating a set includes items that are added during the loop.
  for (const file of found) {
    const content = await readFile(join(PACKAGE_ROOT, file));
    if (file.endsWith('.md')) {
      const { address, linked, ...page } = render(file, content.toString());
      pages[address] = page;
      for (const other of linked) found.add(other);
    } else await replace(join(DOCS_FILES, file), content);
  }
  await replace(DOCS_LIST, JSON.stringify(pages));
}

async function replace(name: string, content: string | Buffer): Promise<void> {
  const path = join(DOCS_FOLDER, name);
  const temporary = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(temporary, content);
  await rename(temporary, path);
}

if (require.main === module) void renderDocs();
