// The permitted imports as data, and how a file is matched against them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';

const rowSchema = z.strictObject({
  files: z.string(),
  imports: z.array(z.string()).default([]),
  packages: z.array(z.string()).default([]),
});
export type ImportRow = z.infer<typeof rowSchema>;

export const IMPORT_TABLE_FILE = 'permitted-imports.yaml';

/** The rows of permitted-imports.yaml, in order; throws when the file is not a list of rows. */
export const readImportTable = (): readonly ImportRow[] =>
  z.array(rowSchema).parse(load(readFileSync(join(__dirname, IMPORT_TABLE_FILE), 'utf8')));

/** Whether a path matches a pattern: `**` any depth, `*` one name. */
export function matches(path: string, pattern: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*|\*/g, (stars) => (stars === '**' ? '.*' : '[^/]*'));
  return new RegExp(`^${expression}$`).test(path);
}

/** The first row that the file matches. */
export const rowOf = (path: string, table: readonly ImportRow[]): ImportRow | undefined =>
  table.find((row) => matches(path, row.files));
