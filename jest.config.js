const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: '<rootDir>/tests/support/one-realm.js',
  runtime: '<rootDir>/tests/support/shared-packages.js',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  transform: {
    '^.+\\.(ts|js)$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
        sourceMaps: true,
      },
    ],
  },
  // A dynamic import names the .js file that Node finds in dist/.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Packages published only as ES modules, which Jest's require cannot load.
  transformIgnorePatterns: ['/node_modules/(?!(temporal-polyfill|@noble)/)'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
  globalSetup: '<rootDir>/tests/support/global-setup.js',
  globalTeardown: '<rootDir>/tests/support/global-teardown.ts',
  // A worker and the programs that it waits for almost fill a core. Each one takes seconds to load and optimize the program.
  maxWorkers: Math.min(6, availableParallelism() + 1),
  // Long enough that only hung tests time out, even on a slow machine.
  testTimeout: 300_000,
  // On a busy machine, a worker takes longer to exit than the default half second. A handle that is left open is still reported.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/tests/support/slowest-first.js',
};
