// The recorded state of extensions, which survives a restart.
import type { Knex } from 'knex';
import { type Extension, messageOf } from '../extension-api';

export type ExtensionState = 'active' | 'inactive' | 'uninstalled';

export interface RecordedExtension {
  readonly name: string;
  readonly state: ExtensionState;
  readonly version: string;
}

const extensions = (write: Knex) => write.withSchema('host').from('extension');

/** Returns the recorded extensions by name. */
export async function recordedExtensions(write: Knex): Promise<ReadonlyMap<string, RecordedExtension>> {
  const rows = await extensions(write).select<RecordedExtension[]>('name', 'state', 'version');
  return new Map(rows.map((row) => [row.name, row]));
}

export async function recordExtension(
  write: Knex,
  { name, state, version }: RecordedExtension,
  now: Date,
): Promise<void> {
  await extensions(write).insert({ name, state, version, changed_at: now }).onConflict('name').merge();
}

export async function forgetExtension(write: Knex, name: string): Promise<void> {
  await extensions(write).where({ name }).delete();
}

export interface ListedExtension extends RecordedExtension {
  readonly description: string;
  readonly required: boolean;
  /** Why the extension is active but not running, or could not be activated at startup. */
  readonly failure: string | null;
  /** False if the extension is no longer part of this program. */
  readonly installed: boolean;
  readonly neededBy: readonly string[];
}

export const NOT_INSTALLED = 'It is recorded here, but no longer part of this program.';

/** Installed extensions first, then those that are only recorded. */
export function listExtensions(
  installed: readonly Extension[],
  recorded: ReadonlyMap<string, RecordedExtension>,
  failures: ReadonlyMap<string, unknown>,
): readonly ListedExtension[] {
  const stateOf = (name: string) => recorded.get(name)?.state ?? 'inactive';
  const running = installed.filter(({ name }) => stateOf(name) === 'active' && !failures.has(name));
  const gone = [...recorded.values()].filter(({ name }) => !installed.some((one) => one.name === name));
  return [
    ...installed.map(({ name, version, description, required = false }) => ({
      name,
      version,
      description,
      required,
      state: stateOf(name),
      failure: failures.has(name) ? messageOf(failures.get(name)) : null,
      installed: true,
      neededBy: running.filter(({ requires }) => requires.extensions?.includes(name)).map((one) => one.name),
    })),
    ...gone.map(({ name, version, state }) => ({
      name,
      version,
      state,
      description: '',
      required: false,
      failure: NOT_INSTALLED,
      installed: false,
      neededBy: [],
    })),
  ];
}
