// Finds the fenced code blocks of our pages, each with its line so that a failing one is easy to find.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(__dirname, '..', '..');

export interface Block {
  readonly place: string;
  readonly text: string;
}

/** Our Markdown pages, relative to the root. */
export function markdownPages(): readonly string[] {
  return ['README.md', 'CHANGELOG.md', ...below(join(ROOT, 'docs')), ...below(join(ROOT, 'manifests'))];
}

function below(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return below(path);
    return entry.name.endsWith('.md') ? [relative(ROOT, path)] : [];
  });
}

/** The fenced blocks of one language in a page. */
export function blocksOf(page: string, language: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const fences = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...fences].map((fence) => ({
    place: `${page}:${text.slice(0, fence.index).split('\n').length}`,
    text: fence[1] ?? '',
  }));
}
