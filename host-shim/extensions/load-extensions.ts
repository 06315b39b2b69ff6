// Loads the extensions that are on, and turns them on and off. What they registered is one value, made anew as a whole
// after every change: a request sees either all of an extension or nothing of it. Changes wait for each other.
import { activate, deactivate, type Running, uninstall } from './change-extensions';
import { recordedExtensions } from './extension-states';
import { type ListedExtension, listExtensions } from './list-extensions';
import { type Registrations, reasonOf } from './register-extensions';
import { type ExtensionOptions, startExtensions } from './start-extensions';
import { PATIENCE_MS, withinTime } from './within-time';

export interface Extensions {
  /** What is registered at this moment. */
  current(): Registrations;
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

/** Loads what is on. An extension that was never seen here is turned on; where it is required it must load. */
export async function loadExtensions(options: ExtensionOptions): Promise<Extensions> {
  const { installed, database, log, patienceMs = PATIENCE_MS } = options;
  let loaded = await startExtensions(options);
  const inTurn = createQueue();
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
  return {
    current: () => loaded.registrations,
    list: async () => listExtensions(installed, await recordedExtensions(database.write), loaded.failures),
    activate: (name) => inTurn(() => activate(running, name)),
    deactivate: (name) => inTurn(() => deactivate(running, name)),
    uninstall: (name) => inTurn(() => uninstall(running, name)),
  };
}
