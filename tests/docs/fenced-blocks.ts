// Finds fenced code blocks in our Markdown files, with their line numbers for failure messages.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(__dirname, '..', '..');

export interface Block {
  readonly place: string;
  readonly text: string;
}

/** The paths of our Markdown files, relative to the root. */
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

export function blocksOf(page: string, language: string): readonly Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const fences = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...fences].map((fence) => ({
    place: `${page}:${text.slice(0, fence.index).split('\n').length}`,
    text: fence[1] ?? '',
  }));
}

interface View {
  readonly from: readonly string[];
  readonly join?: { readonly with: string };
}

const OCTOBER = { start: '2026-10-01T00:00:00', end: '2026-11-01T00:00:00', tz: 'Europe/Berlin' };

/**
 * The query in a block. A block that contains only the value of `make` becomes a query over October that returns its last view.
 */
export function wholeQuery({ text }: Block): string {
  const value: Readonly<Record<string, View>> = JSON.parse(text);
  if ('qal' in value || 'tracking_id' in value) return text;
  const views = Object.keys(value);
  const read = Object.values(value).flatMap(({ from, join }) => [...from, ...(join ? [join.with] : [])]);
  const materials = new Set(read.filter((name) => !views.includes(name)));
  return JSON.stringify({
    tracking_id: 'demo',
    materials: [...materials].map((name) => ({ name })),
    time: OCTOBER,
    make: value,
    result: { use: views.at(-1) },
  });
}
