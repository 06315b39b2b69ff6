// The changes of a running program: an extension is turned on, off, or away.
// Each throws an ExtensionRefused when it cannot be done; then nothing has changed. What is so already is left as it is.
import { type Extension, SettingError } from '../extension-api';
import { missingNeed } from './decide';
import { ExtensionRefused, refusal } from './extension-errors';
import { type ExtensionState, recordedExtensions } from './extension-states';
import { GONE } from './list-extensions';
import { type Loaded, registerExtensions } from './register-extensions';
import { call, type ExtensionOptions, record, sayDeactivated } from './start-extensions';

/** What runs, and how something else comes to run. */
export interface Running {
  readonly options: ExtensionOptions;
  /** What is registered, and the one map of failures: name -> why it is not running. */
  loaded(): Loaded;
  /** From here on this is what runs; waits for what still goes on behind answers of before. */
  take(next: Loaded): Promise<void>;
}

interface Meant {
  /** undefined: it is recorded only. */
  readonly extension: Extension | undefined;
  readonly version: string;
  readonly state: ExtensionState;
  /** All others that are recorded as active. */
  readonly others: readonly Extension[];
}

async function meant({ options }: Running, name: string): Promise<Meant> {
  const { installed, database } = options;
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

/** What runs once `changed` is on or off; refuses when that takes another one with it, or it fails itself. */
async function loadWith(running: Running, changed: string, wanted: readonly Extension[]): Promise<Loaded> {
  const before = running.loaded().failures;
  const next = await registerExtensions(wanted, running.options).catch((error: unknown) => {
    throw error instanceof SettingError ? refusal(`${changed} cannot run`, error) : error;
  });
  for (const [name, reason] of next.failures) {
    if (name === changed || !before.has(name)) throw refusal(`${name} could not run`, reason);
  }
  const untouched = [...before].filter(
    ([name]) => name !== changed && !wanted.some((one) => one.name === name),
  );
  return { registrations: next.registrations, failures: new Map([...untouched, ...next.failures]) };
}

/** What failed before is no news any more. */
async function clearFailure(running: Running, name: string): Promise<void> {
  const { registrations, failures } = running.loaded();
  if (failures.has(name))
    await running.take({ registrations, failures: new Map([...failures].filter(([one]) => one !== name)) });
}

/** Turns an extension on, or tries again when it is on and has failed; only what is off is told that it is turned on. */
export async function activate(running: Running, name: string): Promise<void> {
  const { options } = running;
  const { extension, state, others } = await meant(running, name);
  const { failures } = running.loaded();
  if (extension === undefined) throw new ExtensionRefused(`${name} cannot be turned on. ${GONE}`);
  if (state === 'active' && !failures.has(name)) return;
  const there = new Set(others.map((other) => other.name).filter((other) => !failures.has(other)));
  const need = missingNeed(extension, there);
  if (need !== undefined) throw refusal(`${name} cannot be turned on`, need);
  if (state !== 'active') {
    await call(options, extension, 'activate').catch((error: unknown) => {
      throw refusal(`${name} could not be turned on`, error);
    });
  }
  const wanted = options.installed.filter((one) => one === extension || others.includes(one));
  const next = await loadWith(running, name, wanted).catch(async (error: unknown) => {
    if (state !== 'active') await sayDeactivated(options, extension);
    throw error;
  });
  await record(options, extension, 'active');
  await running.take(next);
}

/** Turns it off, whatever its own callback says: a failure there is logged. */
export async function deactivate(running: Running, name: string): Promise<void> {
  const { options } = running;
  const { extension, version, state, others } = await meant(running, name);
  if (state !== 'active') return clearFailure(running, name);
  if (extension === undefined) return record(options, { name, version }, 'inactive');
  const next = await loadWith(running, name, others);
  await record(options, extension, 'inactive');
  await running.take(next);
  await sayDeactivated(options, extension);
}

export async function uninstall(running: Running, name: string): Promise<void> {
  const { options } = running;
  const { extension, state } = await meant(running, name);
  if (state === 'active')
    throw new ExtensionRefused(`${name} is active; turn it off before it is uninstalled.`);
  if (extension === undefined)
    throw new ExtensionRefused(
      `${name} cannot remove what it keeps. ${GONE} Install it again to uninstall it.`,
    );
  if (state === 'uninstalled') return;
  await call(options, extension, 'uninstall').catch((error: unknown) => {
    throw refusal(`${name} could not be uninstalled`, error);
  });
  await record(options, extension, 'uninstalled');
  await clearFailure(running, name);
}
