import { type Extension, messageOf, SettingError } from '../extension-api';

/** The program cannot start because of a required extension, or because of the installed extensions' names. */
export class ExtensionFailed extends Error {
  override readonly name = 'ExtensionFailed';
}

/** A change that is not possible. The message is for the user who requested it. */
export class ExtensionRefused extends Error {
  override readonly name = 'ExtensionRefused';
}

/** The message is `what: reason.` */
export const refuse = (what: string, reason: unknown): ExtensionRefused =>
  new ExtensionRefused(`${what}: ${messageOf(reason).replace(/\.$/, '')}.`, { cause: reason });

export const staysOn = (name: string): string => `${name} cannot be turned off: this program needs it.`;

/** Wraps the error in an ExtensionFailed with the extension's name. A SettingError is returned unchanged. */
export const endStart = ({ name, version }: Extension, error: unknown): unknown =>
  error instanceof SettingError
    ? error
    : new ExtensionFailed(`The extension ${name} ${version} could not start: ${messageOf(error)}`, {
        cause: error,
      });
