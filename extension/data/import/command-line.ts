// The command that imports a file, as one line to copy.
import { shellQuoted } from '../../../host-shim/extension-api';

const SHELL_SAFE = /^[\w@%+=:,./-]+$/;

export const shellWord = (text: string): string => (SHELL_SAFE.test(text) ? text : shellQuoted(text));

/** Leaves out options that are empty. */
export const importCommandLine = (
  dataset: string,
  files: readonly string[],
  options: Readonly<Record<string, string | undefined>>,
): string =>
  [
    'qal',
    'import',
    dataset,
    ...files,
    ...Object.entries(options).flatMap(([name, value = '']) => (value === '' ? [] : [`--${name}`, value])),
  ]
    .map(shellWord)
    .join(' ');
