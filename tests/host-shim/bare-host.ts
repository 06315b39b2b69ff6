// A program for the tests: the host without extensions. At the end it lists each file of an extension that it loaded.
import { runCommandLine } from '../../host-shim/cli/command-line';

process.on('exit', () => {
  for (const file of Object.keys(require.cache))
    if (/[\\/](extension|manifests)[\\/]/.test(file)) process.stderr.write(`loaded ${file}\n`);
});

const product = { name: 'Bare host', description: 'A host that nobody has extended.', extensions: [] };
void runCommandLine(product, process.env);
