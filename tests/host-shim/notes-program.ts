// The program with a second extension, which tests can turn off.
import { runCommandLine } from '../../host-shim/cli/command-line';
import { PRODUCT } from '../../host-shim/main';
import { notesExtension } from '../support/notes-extension';

void runCommandLine(
  { ...PRODUCT, extensions: [...PRODUCT.extensions, { settings: {}, create: () => notesExtension() }] },
  process.env,
);
