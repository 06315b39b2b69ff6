// Runs a TypeScript program: node run-typescript.js program.ts <arguments>
const Module = require('node:module');
const { resolve } = require('node:path');
require('./load-typescript');

process.setSourceMapsEnabled(true);
process.argv.splice(1, 1);
Module._load(resolve(process.argv[1]), null, true);
