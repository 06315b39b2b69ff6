// The start: turns on what was never seen here, registers all that is on, and writes down and logs what became of each.
// Where the start itself fails, what it turned on is taken back: the next one begins where this one did.
import { type Extension, type HostTools, SettingError } from '../extension-api';
import { decide, inOrder, missingNeed, nameFault } from './decide';
import { ExtensionFailed, stopsStart } from './extension-errors';
import {
  type ExtensionState,
  forgetExtension,
  recordExtension,
  recordedExtensions,
} from './extension-states';
import { type Loaded, type RegisterOptions, registerExtensions } from './register-extensions';
import { PATIENCE_MS, withinTime } from './within-time';

export interface ExtensionOptions extends RegisterOptions {
  readonly installed: readonly Extension[];
}

/** What an extension's callbacks outside of `register` get. */
const toolsOf = ({ clock, log, database }: ExtensionOptions): HostTools => ({ clock, log, database });

/** Calls one of them; one that hangs has failed. */
export function call(
  options: ExtensionOptions,
  extension: Extension,
  name: 'activate' | 'deactivate' | 'uninstall',
): Promise<void> {
  const work = async () => extension[name]?.(toolsOf(options));
  return withinTime(work, options.patienceMs ?? PATIENCE_MS);
}

export const record = (
  { database, clock }: ExtensionOptions,
  { name, version }: Pick<Extension, 'name' | 'version'>,
  state: ExtensionState,
): Promise<void> => recordExtension(database.write, { name, version, state }, clock());

/** Tells an extension that it is off; what it says to that changes nothing. */
export async function sayDeactivated(options: ExtensionOptions, extension: Extension): Promise<void> {
  const { name } = extension;
  try {
    await call(options, extension, 'deactivate');
  } catch (error) {
    options.log.error(
      { err: error, extension: name },
      `The extension ${name} failed while it was turned off.`,
    );
  }
}

/** Throws a SettingError, and an ExtensionFailed for one that the first start cannot do without. */
export async function startExtensions(options: ExtensionOptions): Promise<Loaded> {
  const fault = nameFault(options.installed);
  if (fault !== undefined) throw new ExtensionFailed(fault);
  const turnedOn: Extension[] = [];
  try {
    const loaded = await start(options, turnedOn);
    await sayHowTheyStand(options, loaded.failures);
    return loaded;
  } catch (error) {
    for (const extension of turnedOn.reverse()) {
      await sayDeactivated(options, extension);
      await forgetExtension(options.database.write, extension.name);
    }
    throw error;
  }
}

/** Adds to `turnedOn` as soon as one was. */
async function start(options: ExtensionOptions, turnedOn: Extension[]): Promise<Loaded> {
  const { installed, database } = options;
  const recorded = await recordedExtensions(database.write);
  const { activate, register, refuse } = decide(installed, recorded);
  const failures = new Map<string, unknown>(refuse);
  const stays = ({ name }: Extension) => !failures.has(name);
  const running = () => new Set(register.filter(stays).map(({ name }) => name));
  for (const extension of activate) {
    const reason = missingNeed(extension, running()) ?? (await turnOn(options, extension));
    if (reason === undefined) turnedOn.push(extension);
    else failures.set(extension.name, reason);
  }
  const loaded = await registerExtensions(register.filter(stays), options);
  for (const [name, reason] of loaded.failures) failures.set(name, reason);

  for (const extension of installed.filter(({ name }) => !recorded.has(name) && failures.has(name))) {
    if (extension.required === true) throw stopsStart(extension, failures.get(extension.name));
  }
  // Those that need another one first.
  for (const extension of [...inOrder(installed)].reverse()) {
    const state = recorded.get(extension.name);
    if (state === undefined && !stays(extension)) await takeBack(options, extension, turnedOn);
    if (state?.state === 'active' && state.version !== extension.version && stays(extension))
      await record(options, extension, 'active');
  }
  return { registrations: loaded.registrations, failures };
}

/** Why it could not be; written down at once when it could. A wrong setting stops the start. */
async function turnOn(options: ExtensionOptions, extension: Extension): Promise<unknown> {
  try {
    await call(options, extension, 'activate');
  } catch (error) {
    if (error instanceof SettingError) throw error;
    return error;
  }
  await record(options, extension, 'active');
  return undefined;
}

/** One that was never seen here and cannot run is off until somebody turns it on. */
async function takeBack(
  options: ExtensionOptions,
  extension: Extension,
  turnedOn: Extension[],
): Promise<void> {
  const place = turnedOn.indexOf(extension);
  if (place >= 0) {
    turnedOn.splice(place, 1);
    await sayDeactivated(options, extension);
  }
  await record(options, extension, 'inactive');
}

async function sayHowTheyStand(
  { installed, database, log }: ExtensionOptions,
  failures: ReadonlyMap<string, unknown>,
): Promise<void> {
  for (const [name, error] of failures)
    log.error({ err: error, extension: name }, `The extension ${name} could not start and is left out.`);
  for (const { name, state } of (await recordedExtensions(database.write)).values()) {
    const extension = installed.find((one) => one.name === name);
    if (extension === undefined && state === 'active')
      log.warn({ extension: name }, `The extension ${name} is active and no part of this program.`);
    if (extension?.required === true && state !== 'active')
      log.warn({ extension: name }, `The extension ${name} is ${state}.`);
  }
}
