// The checksums of migrations in db/migrations.sha256. If a migration changed, databases that have applied it
// would differ from new ones.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface MigrationFolder {
  readonly schema: string;
  readonly migrations: string;
}

/** Returns one line per migration: its checksum and its name, such as `host/0001-tables.sql`. */
export async function migrationChecksums(folders: readonly MigrationFolder[]): Promise<string> {
  const lines: string[] = [];
  for (const { schema, migrations } of folders)
    for (const file of (await readdir(migrations)).filter((name) => name.endsWith('.sql')).sort()) {
      const hash = createHash('sha256').update(await readFile(join(migrations, file)));
      lines.push(`${hash.digest('hex')}  ${schema}/${file}\n`);
    }
  return lines.join('');
}

/** Returns a message for each recorded migration that has been changed or removed. */
export function changedMigrations(recorded: string, current: string): readonly string[] {
  const known = new Set(current.split('\n'));
  return recorded
    .split('\n')
    .filter((line) => !known.has(line))
    .map(
      (line) =>
        `The migration ${line.split('  ')[1]} was changed or removed, but databases may have applied it: restore the file, and add a new migration.`,
    );
}
