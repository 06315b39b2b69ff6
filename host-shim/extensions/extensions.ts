// The extensions of a running program. Changes are made one at a time. All registrations are replaced together, so that a request
// sees either all of an extension or none of it.
import { type Extension, messageOf, SettingError } from '../extension-api';
import { createTurns } from '../server/turns';
import { missingNeed } from './decide';
import { ExtensionRefused, refuse, staysOn } from './extension-errors';
import type { Hooks } from './hooks';
import {
  type ListedExtension,
  listExtensions,
  NOT_INSTALLED,
  recordedExtensions,
} from './recorded-extensions';
import {
  type BuiltIn,
  type Loaded,
  noRegistrations,
  type Registrations,
  registerExtensions,
  waitFor,
} from './register-extensions';
import {
  callDeactivate,
  callExtension,
  type ExtensionOptions,
  recordState,
  startExtensions,
} from './start-extensions';

export interface Extensions {
  /** The current registrations; empty until the extensions are loaded. */
  current(): Registrations;
  /** Each call reaches the extensions that are active at that time. */
  readonly hooks: Hooks;
  list(): Promise<readonly ListedExtension[]>;
  /**
   * Activates an extension, or retries one that failed. This and the next two methods throw an ExtensionRefused and change
   * nothing if the change is not possible.
   */
  activate(name: string): Promise<void>;
  /** Throws for a required extension. A failure of the extension's own callback is only logged. */
  deactivate(name: string): Promise<void>;
  uninstall(name: string): Promise<void>;
  /** Applies changes that other processes of the installation have made. */
  follow(): Promise<void>;
  /** Time of the last `follow`, according to performance.now(). */
  followedAt(): number | undefined;
}

interface LoadOptions extends Omit<ExtensionOptions, 'builtIn'> {
  builtIn?(extensions: Extensions): BuiltIn;
}

/** A new extension is activated; a required one must load. */
export async function loadExtensions({ builtIn, ...rest }: LoadOptions): Promise<Extensions> {
  const { installed, database, log, timeoutMs } = rest;
  let loaded: Loaded = { registrations: noRegistrations(), failures: new Map() };
  /** The extensions that are active in this process, including those that failed. */
  let turnedOn: readonly Extension[] = [];
  let followedAt: number | undefined;
  const turns = createTurns();
  const inTurn = <T>(change: () => Promise<T>) => turns('', change);
  const hooks = (): Hooks => loaded.registrations.hooks;

  const extensions: Extensions = {
    current: () => loaded.registrations,
    hooks: {
      doAction: (name, ...event) => hooks().doAction(name, ...event),
      applyFilters: (name, value, context) => hooks().applyFilters(name, value, context),
      hasFilter: (name) => hooks().hasFilter(name),
    },
    list: async () => listExtensions(installed, await recordedExtensions(database.write), loaded.failures),
    activate: (name) => inTurn(() => activate(name)),
    deactivate: (name) => inTurn(() => deactivate(name)),
    uninstall: (name) => inTurn(() => uninstall(name)),
    async follow() {
      await inTurn(follow);
      followedAt = performance.now();
    },
    followedAt: () => followedAt,
  };
  const options: ExtensionOptions = { ...rest, builtIn: builtIn?.(extensions) };

  async function find(name: string) {
    const recorded = await recordedExtensions(database.write);
    const extension = installed.find((one) => one.name === name);
    const known = recorded.get(name) ?? extension;
    if (known === undefined) throw new ExtensionRefused(`There is no extension ${name}.`);
    return {
      extension,
      version: known.version,
      state: recorded.get(name)?.state ?? 'inactive',
      others: installed.filter((one) => one !== extension && recorded.get(one.name)?.state === 'active'),
    };
  }

  /** Registers everything again. Refuses if the changed extension fails, or if the change makes another one fail. */
  async function registerWith(changed: string, wanted: readonly Extension[]): Promise<Loaded> {
    const before = loaded.failures;
    const next = await registerExtensions(wanted, options).catch((error: unknown) => {
      throw error instanceof SettingError ? refuse(`${changed} cannot run`, error) : error;
    });
    for (const [name, reason] of next.failures)
      if (name === changed || !before.has(name)) throw refuse(`${name} could not run`, reason);
    const untouched = [...before].filter(
      ([name]) => name !== changed && !wanted.some((one) => one.name === name),
    );
    return { registrations: next.registrations, failures: new Map([...untouched, ...next.failures]) };
  }

  /** Switches to the new registrations, and waits for the background work of the old ones. */
  async function replaceWith(next: Loaded): Promise<void> {
    const previous = hooks();
    loaded = next;
    await waitFor(() => previous.doAction('settle'), timeoutMs).catch((error: unknown) =>
      log.error(
        { err: error },
        `Could not wait for the background work of an extension: ${messageOf(error)}.`,
      ),
    );
  }

  function clearFailure(name: string): void {
    loaded = { ...loaded, failures: new Map([...loaded.failures].filter(([one]) => one !== name)) };
  }

  async function activate(name: string): Promise<void> {
    const { extension, state, others } = await find(name);
    const { failures } = loaded;
    if (extension === undefined) throw new ExtensionRefused(`${name} cannot be turned on. ${NOT_INSTALLED}`);
    if (state === 'active' && !failures.has(name)) return;
    const running = new Set(others.map((other) => other.name).filter((other) => !failures.has(other)));
    const need = missingNeed(extension, running);
    if (need !== undefined) throw refuse(`${name} cannot be turned on`, need);
    if (state !== 'active')
      await callExtension(options, extension, 'activate').catch((error: unknown) => {
        throw refuse(`${name} could not be turned on`, error);
      });
    const wanted = installed.filter((one) => one === extension || others.includes(one));
    const next = await registerWith(name, wanted).catch(async (error: unknown) => {
      if (state !== 'active') await callDeactivate(options, extension);
      throw error;
    });
    await recordState(options, extension, 'active');
    turnedOn = [...turnedOn.filter((one) => one !== extension), extension];
    await replaceWith(next);
  }

  async function deactivate(name: string): Promise<void> {
    const { extension, version, state, others } = await find(name);
    if (extension?.required === true) throw new ExtensionRefused(staysOn(name));
    if (state !== 'active') return clearFailure(name);
    if (extension === undefined) return recordState(options, { name, version }, 'inactive');
    const next = await registerWith(name, others);
    await recordState(options, extension, 'inactive');
    turnedOn = turnedOn.filter((one) => one !== extension);
    await replaceWith(next);
    await callDeactivate(options, extension);
  }

  async function uninstall(name: string): Promise<void> {
    const { extension, state } = await find(name);
    if (extension?.required === true) throw new ExtensionRefused(staysOn(name));
    if (state === 'active') throw new ExtensionRefused(`${name} is active; turn it off first.`);
    if (extension === undefined)
      throw new ExtensionRefused(
        `${name} cannot remove its data. ${NOT_INSTALLED} Install it again to uninstall it.`,
      );
    if (state === 'uninstalled') return;
    await callExtension(options, extension, 'uninstall').catch((error: unknown) => {
      throw refuse(`${name} could not be uninstalled`, error);
    });
    await recordState(options, extension, 'uninstalled');
    clearFailure(name);
  }

  async function recordedAsActive(): Promise<readonly Extension[]> {
    const recorded = await recordedExtensions(database.write);
    return installed.filter(({ name }) => recorded.get(name)?.state === 'active');
  }

  /** The process that made a change has already called `activate`. Every process calls `deactivate`, to stop its own work. */
  async function follow(): Promise<void> {
    const active = await recordedAsActive();
    const turnedOff = turnedOn.filter((one) => !active.includes(one));
    if (turnedOff.length === 0 && active.length === turnedOn.length) return;
    turnedOn = active;
    const next = await registerExtensions(active, options);
    for (const [name, error] of next.failures)
      log.error({ err: error, extension: name }, `The extension ${name} could not start and is not loaded.`);
    await replaceWith(next);
    for (const extension of turnedOff) await callDeactivate(options, extension);
  }

  loaded = await startExtensions(options);
  turnedOn = await recordedAsActive();
  return extensions;
}
