// Orders the test files. On a clean clone, Jest orders them by size, and a small but slow file would start late and delay the end.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

const SLOWEST = [
  'pages/browser/pages',
  'host-shim/program',
  'query/columns/audit',
  'pages/browser/dashboard',
  'query/columns/server-process',
  'language/interpreter/every-column',
  'db/embedded',
  'query/columns/unique-counts',
  'pages/browser/playground',
  'query/columns/faults',
  'support/harness/example',
  'query/columns/reported',
  'pages/browser/playground-answers',
  'query/columns/stays-current',
  'support/harness/process-end',
  'query/columns/crashes',
  'data/import/killed-backend',
  'pages/browser/playground-text',
  'db/backup',
  'data/import/follow-random',
  'db/foreign-backup',
  'db/replicas',
  'db/silent-database',
  'data/export/round-trip',
  'query/columns/long-rows',
  'language/interpreter/random-query',
  'language/cases',
].map((name) => join(__dirname, '..', `${name}.test.ts`));

for (const path of SLOWEST)
  if (!existsSync(path)) throw new Error(`${path} is in the order but does not exist.`);

module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    const rest = super.sort(tests);
    const first = SLOWEST.flatMap((path) => rest.filter((test) => test.path === path));
    return [...first, ...rest.filter((test) => !first.includes(test))];
  }
};
