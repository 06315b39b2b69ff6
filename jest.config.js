const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
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
  // Packages that are ES modules only; Jest's require cannot load those.
  transformIgnorePatterns: ['/node_modules/(?!(temporal-polyfill|@noble)/)'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
  globalSetup: '<rootDir>/tests/support/global-setup.ts',
  globalTeardown: '<rootDir>/tests/support/global-teardown.ts',
  // The database works beside the workers, so more of them than cores gain nothing.
  maxWorkers: Math.max(2, Math.min(6, availableParallelism())),
  testTimeout: 30_000,
};
