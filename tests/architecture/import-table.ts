// Reads permitted-imports.yaml, and matches paths against its patterns.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';

const names = z.array(z.string()).default([]);
const tableSchema = z.strictObject({
  rooms: z.record(z.string(), z.strictObject({ uses: names, packages: names })),
  narrow: z.array(
    z.strictObject({ files: z.string(), imports: names, packages: z.array(z.string()).optional() }),
  ),
  doors: z.record(z.string(), z.string()),
});

export const IMPORT_TABLE_FILE = 'permitted-imports.yaml';

export const { rooms, narrow, doors } = tableSchema.parse(
  load(readFileSync(join(__dirname, IMPORT_TABLE_FILE), 'utf8')),
);

/** Matches everything. */
export const ANY = '*';

/** The rooms (top-level modules), lowest first. */
export const ROOMS = Object.keys(rooms);

/**
 * The room of a file: the longest room name that is the file's path, with or without the extension, or one of its parent folders.
 */
export const roomOf = (path: string): string | undefined =>
  ROOMS.filter((room) => path === room || path === `${room}.ts` || path.startsWith(`${room}/`)).toSorted(
    (one, other) => other.length - one.length,
  )[0];

/** Expands `a/{b,c}` to `a/b` and `a/c`, with any number of braces. */
export function alternatives(pattern: string): readonly string[] {
  const [whole, before = '', inside = '', after = ''] = /^(.*?)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return inside.split(',').flatMap((one) => alternatives(`${before}${one}${after}`));
}

/** Whether a path matches a pattern with `**` for any depth, `*` for one name and `{a,b}` for alternatives. */
export const matches = (path: string, pattern: string): boolean =>
  alternatives(pattern).some((one) => {
    const expression = one
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*\*|\*/g, (stars) => (stars === '**' ? '.*' : '[^/]*'));
    return new RegExp(`^${expression}$`).test(path);
  });

/** The files and packages that a file in a restricted folder may import. Undefined for files in other folders. */
export function narrowRow(path: string): Omit<(typeof narrow)[number], 'files'> | undefined {
  for (const { files, imports, packages } of narrow) {
    const own = alternatives(files).find((one) => matches(path, one));
    if (own !== undefined) return { imports: [own, ...imports], packages };
  }
  return undefined;
}
