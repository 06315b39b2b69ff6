// How each extension stands: what the program has, what is recorded, and what failed, put side by side.
import type { Extension } from '../extension-api';
import type { ExtensionState, RecordedExtension } from './extension-states';
import { reasonOf } from './register-extensions';

export interface ListedExtension {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly required: boolean;
  readonly state: ExtensionState;
  /** Why it is not running although it is on, or could not be turned on at the start. */
  readonly failure: string | null;
  /** False for one that was on here once and is no part of this program any more. */
  readonly installed: boolean;
  /** Names of the active extensions that cannot run without it. */
  readonly neededBy: readonly string[];
}

export const GONE = 'It is recorded here, but is no part of this program any more.';

/** Those of the program in its order, then those that are recorded only. */
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
      failure: failures.has(name) ? reasonOf(failures.get(name)) : null,
      installed: true,
      neededBy: running.filter(({ requires }) => requires.extensions?.includes(name)).map((one) => one.name),
    })),
    ...gone.map(({ name, version, state }) => ({
      name,
      version,
      description: '',
      required: false,
      state,
      failure: GONE,
      installed: false,
      neededBy: [],
    })),
  ];
}
