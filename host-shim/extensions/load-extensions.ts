// Loads the extensions that are on, and turns them on and off. What they registered is one value, made anew as a whole
// after every change: a request sees either all of an extension or nothing of it. Changes wait for each other.
import { activate, deactivate, type Running, uninstall } from './change-extensions';
import { recordedExtensions } from './extension-states';
import type { Hooks } from './hooks';
import { type ListedExtension, listExtensions } from './list-extensions';
import {
  type BuiltIn,
  type Loaded,
  noRegistrations,
  type Registrations,
  reasonOf,
} from './register-extensions';
import { type ExtensionOptions, startExtensions } from './start-extensions';
import { PATIENCE_MS, withinTime } from './within-time';

export interface Extensions {
  /** What is registered at this moment; nothing before the extensions are loaded. */
  current(): Registrations;
  /** The hooks of this moment: each call reaches the extensions that are on by then. */
  readonly hooks: Hooks;
  list(): Promise<readonly ListedExtension[]>;
  /**
   * Turns an extension on, or tries again when it is on and has failed. This and the next two throw an ExtensionRefused
   * when it cannot be done; then nothing has changed. What is so already is left as it is.
   */
  activate(name: string): Promise<void>;
  /** Turns it off, whatever its own callback says: a failure there is logged. */
  deactivate(name: string): Promise<void>;
  uninstall(name: string): Promise<void>;
}

/** Runs one piece of work after the other, whatever became of the one before. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work);
    last = run.catch(() => undefined);
    return run;
  };
}

export interface LoadOptions extends Omit<ExtensionOptions, 'builtIn'> {
  /** The host's own routes and pages, which may list and change the extensions. */
  builtIn?(extensions: Extensions): BuiltIn;
}

/** Loads what is on. An extension that was never seen here is turned on; where it is required it must load. */
export async function loadExtensions({ builtIn, ...rest }: LoadOptions): Promise<Extensions> {
  const { installed, database, log, patienceMs = PATIENCE_MS } = rest;
  let loaded: Loaded = { registrations: noRegistrations(), failures: new Map() };
  const inTurn = createQueue();
  const hooks = (): Hooks => loaded.registrations.hooks;
  const extensions: Extensions = {
    current: () => loaded.registrations,
    hooks: {
      doAction: (name, ...told) => hooks().doAction(name, ...told),
      applyFilters: (name, value, told) => hooks().applyFilters(name, value, told),
      hasFilter: (name) => hooks().hasFilter(name),
    },
    list: async () => listExtensions(installed, await recordedExtensions(database.write), loaded.failures),
    activate: (name) => inTurn(() => activate(running, name)),
    deactivate: (name) => inTurn(() => deactivate(running, name)),
    uninstall: (name) => inTurn(() => uninstall(running, name)),
  };
  const options: ExtensionOptions = { ...rest, builtIn: builtIn?.(extensions) };
  const running: Running = {
    options,
    loaded: () => loaded,
    async take(next) {
      const { hooks } = loaded.registrations;
      loaded = next;
      await withinTime(() => hooks.doAction('settle'), patienceMs).catch((error: unknown) =>
        log.error({ err: error }, `What went on behind answers was not waited for: ${reasonOf(error)}.`),
      );
    },
  };
  loaded = await startExtensions(options);
  return extensions;
}
