// Owns the table of allowed imports: docs/architecture.md in -> rows that a file is held against.
// The document is the only copy of the table.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files';

export interface ImportRow {
  readonly files: string;
  readonly mayImport: readonly string[];
  readonly packages: readonly string[];
}

/** The rows of the table under "Who may import whom", in order. */
export function readImportTable(): readonly ImportRow[] {
  const section = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith('Who may import whom'));
  const rows = (section ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((line) => {
    const [files = '', mayImport = '', packages = ''] = line.split('|').slice(1, -1);
    return { files: quoted(files)[0] ?? '', mayImport: quoted(mayImport), packages: quoted(packages) };
  });
}

const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

/** Whether a path fits a pattern: `**` any depth, `*` one name. */
export function fits(path: string, pattern: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*|\*/g, (stars) => (stars === '**' ? '.*' : '[^/]*'));
  return new RegExp(`^${expression}$`).test(path);
}

/** The first row that the file fits. */
export function rowOf(path: string, table: readonly ImportRow[]): ImportRow | undefined {
  return table.find((row) => fits(path, row.files));
}
