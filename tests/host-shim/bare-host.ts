// A program for tests: the host without extensions. On exit, it lists which of the extension's files were loaded.
import { runCommandLine } from '../../host-shim/cli/command-line';

process.on('exit', () => {
  for (const file of Object.keys(require.cache))
    if (/[\\/](extension|manifests)[\\/]/.test(file)) process.stderr.write(`loaded ${file}\n`);
});

const product = { name: 'Bare host', description: 'A host without extensions.', extensions: [] };
void runCommandLine(product, process.env);
