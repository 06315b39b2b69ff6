// How the start or a change of extensions fails.
import { type Extension, SettingError } from '../extension-api';

/** The start failed because of an extension that it needs, or because of the names of the installed ones. */
export class ExtensionFailed extends Error {
  override readonly name = 'ExtensionFailed';
}

/** A change that is not possible; the message is for the user who requested it. */
export class ExtensionRefused extends Error {
  override readonly name = 'ExtensionRefused';
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `what: reason.`, also where the reason is a whole sentence. */
export const refuse = (what: string, reason: unknown): ExtensionRefused =>
  new ExtensionRefused(`${what}: ${reasonOf(reason).replace(/\.$/, '')}.`, { cause: reason });

/** Why a required extension stays on, for a page, a command and a program alike. */
export const staysOn = (name: string): string => `${name} cannot be turned off: this program needs it.`;

/** What ends the start: a wrong setting as it is, everything else with the extension's name. */
export const endStart = ({ name, version }: Extension, error: unknown): unknown =>
  error instanceof SettingError
    ? error
    : new ExtensionFailed(`The extension ${name} ${version} could not start: ${reasonOf(error)}`, {
        cause: error,
      });
