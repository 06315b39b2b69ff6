// Node.js loads the code that runs before the tests, so that tests in the same process can share its modules.
const Module = require('node:module');
const { compileAll } = require('./load-typescript');

module.exports = async () => {
  await compileAll();
  await require('./before-tests.ts').default();
  // The workers, which start next, load the bytecode of these modules from the cache.
  Module.flushCompileCache?.();
};
