// If startup fails, its activations are undone, so that the next startup begins in the same state.
import { type Extension, SettingError } from '../extension-api';
import { decide, inOrder, missingNeed, nameFault } from './decide';
import { ExtensionFailed, endStart } from './extension-errors';
import {
  type ExtensionState,
  forgetExtension,
  recordExtension,
  recordedExtensions,
} from './recorded-extensions';
import { type Loaded, type RegisterOptions, registerExtensions, waitFor } from './register-extensions';

export interface ExtensionOptions extends RegisterOptions {
  readonly installed: readonly Extension[];
}

export function callExtension(
  { clock, log, database, telemetry, dataDir, timeoutMs }: ExtensionOptions,
  extension: Extension,
  name: 'activate' | 'deactivate' | 'uninstall',
): Promise<void> {
  return waitFor(async () => extension[name]?.({ clock, log, database, telemetry, dataDir }), timeoutMs);
}

export const recordState = (
  { database, clock }: ExtensionOptions,
  { name, version }: Pick<Extension, 'name' | 'version'>,
  state: ExtensionState,
): Promise<void> => recordExtension(database.write, { name, version, state }, clock());

/** A failure is only logged. */
export async function callDeactivate(options: ExtensionOptions, extension: Extension): Promise<void> {
  const { name } = extension;
  try {
    await callExtension(options, extension, 'deactivate');
  } catch (error) {
    options.log.error(
      { err: error, extension: name },
      `The extension ${name} failed while it was being turned off.`,
    );
  }
}

/** Throws a SettingError, or an ExtensionFailed if a new required extension cannot start. */
export async function startExtensions(options: ExtensionOptions): Promise<Loaded> {
  const fault = nameFault(options.installed);
  if (fault !== undefined) throw new ExtensionFailed(fault);
  const activated: Extension[] = [];
  try {
    const loaded = await start(options, activated);
    await logStates(options, loaded.failures);
    return loaded;
  } catch (error) {
    for (const extension of activated.reverse()) {
      await callDeactivate(options, extension);
      await forgetExtension(options.database.write, extension.name);
    }
    throw error;
  }
}

/** Appends each extension to `activated` once it is active. */
async function start(options: ExtensionOptions, activated: Extension[]): Promise<Loaded> {
  const { installed, database } = options;
  const recorded = await recordedExtensions(database.write);
  const { activate, register, refuse } = decide(installed, recorded);
  const failures = new Map<string, unknown>(refuse);
  const isUsable = ({ name }: Extension) => !failures.has(name);
  const running = () => new Set(register.filter(isUsable).map(({ name }) => name));
  for (const extension of activate) {
    const reason = missingNeed(extension, running()) ?? (await tryActivate(options, extension));
    if (reason === undefined) activated.push(extension);
    else failures.set(extension.name, reason);
  }
  const loaded = await registerExtensions(register.filter(isUsable), options);
  for (const [name, reason] of loaded.failures) failures.set(name, reason);

  for (const extension of installed) {
    const { name, required } = extension;
    if (required === true && !recorded.has(name) && failures.has(name))
      throw endStart(extension, failures.get(name));
  }
  // Dependents come first.
  for (const extension of [...inOrder(installed)].reverse()) {
    const state = recorded.get(extension.name);
    if (state === undefined && !isUsable(extension)) await undoActivation(options, extension, activated);
    if (state?.state === 'active' && state.version !== extension.version && isUsable(extension))
      await recordState(options, extension, 'active');
  }
  return { registrations: loaded.registrations, failures };
}

/** Returns the error if the activation fails. Rethrows a SettingError. */
async function tryActivate(options: ExtensionOptions, extension: Extension): Promise<unknown> {
  try {
    await callExtension(options, extension, 'activate');
  } catch (error) {
    if (error instanceof SettingError) throw error;
    return error;
  }
  await recordState(options, extension, 'active');
  return undefined;
}

/** A new extension that cannot run stays inactive until a user activates it. */
async function undoActivation(
  options: ExtensionOptions,
  extension: Extension,
  activated: Extension[],
): Promise<void> {
  const index = activated.indexOf(extension);
  if (index >= 0) {
    activated.splice(index, 1);
    await callDeactivate(options, extension);
  }
  await recordState(options, extension, 'inactive');
}

async function logStates(
  { installed, database, log }: ExtensionOptions,
  failures: ReadonlyMap<string, unknown>,
): Promise<void> {
  for (const [name, error] of failures)
    log.error({ err: error, extension: name }, `The extension ${name} could not start and is not loaded.`);
  for (const { name, state } of (await recordedExtensions(database.write)).values())
    if (state === 'active' && !installed.some((one) => one.name === name))
      log.warn({ extension: name }, `The extension ${name} is active but not part of this program.`);
}
