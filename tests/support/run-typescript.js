// Runs a TypeScript program: node run-typescript.js program.ts <arguments>
const Module = require('node:module');
const { resolve } = require('node:path');
require('./load-typescript');
const { bundleProgram } = require('./bundle-program');

/** The only program that is bundled. The others inspect their modules, or have only a few. */
const BUNDLED = resolve(__dirname, '../../host-shim/cli/qal.ts');

const run = (file) => Module._load(file, null, true);

process.setSourceMapsEnabled(true);
process.argv.splice(1, 1);
const program = resolve(process.argv[1]);
if (program === BUNDLED) bundleProgram(program).then(run);
else run(program);
