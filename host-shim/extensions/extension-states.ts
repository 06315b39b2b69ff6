// Which extensions are on: kept in the database, so that a restart changes nothing.
import type { Knex } from 'knex';

export type ExtensionState = 'active' | 'inactive' | 'uninstalled';

export interface RecordedExtension {
  readonly name: string;
  readonly state: ExtensionState;
  readonly version: string;
}

/** What is recorded, by name; an extension that never ran here is not there. */
export async function recordedExtensions(write: Knex): Promise<ReadonlyMap<string, RecordedExtension>> {
  const rows = await write
    .withSchema('host')
    .from('extension')
    .select<RecordedExtension[]>('name', 'state', 'version');
  return new Map(rows.map((row) => [row.name, row]));
}

/** Records a state. */
export async function recordExtension(
  write: Knex,
  { name, state, version }: RecordedExtension,
  now: Date,
): Promise<void> {
  await write
    .withSchema('host')
    .from('extension')
    .insert({ name, state, version, changed_at: now })
    .onConflict('name')
    .merge();
}

/** As if it had never been seen here. */
export async function forgetExtension(write: Knex, name: string): Promise<void> {
  await write.withSchema('host').from('extension').where({ name }).delete();
}
