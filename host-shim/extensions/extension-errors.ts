// How a start or a change of extensions ends badly, and the sentence about it.
import { type Extension, SettingError } from '../extension-api';
import { reasonOf } from './register-extensions';

/** An extension that the first start cannot do without did not load, or none of its kind can; the message names it. */
export class ExtensionFailed extends Error {
  override readonly name = 'ExtensionFailed';
}

/** A change that cannot be; a sentence for whoever asked. */
export class ExtensionRefused extends Error {
  override readonly name = 'ExtensionRefused';
}

/** A whole sentence out of a reason that may be one already. */
export const refusal = (what: string, reason: unknown): ExtensionRefused =>
  new ExtensionRefused(`${what}: ${reasonOf(reason).replace(/\.$/, '')}.`, { cause: reason });

/** What stops the start: a wrong setting as it is, everything else with the extension's name. */
export const stopsStart = ({ name, version }: Extension, error: unknown): unknown =>
  error instanceof SettingError
    ? error
    : new ExtensionFailed(`The extension ${name} ${version} could not start: ${reasonOf(error)}`, {
        cause: error,
      });
