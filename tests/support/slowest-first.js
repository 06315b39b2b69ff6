// Orders the test files. In a clean clone, Jest would order them by size, so a small but slow file would start late and delay the
// end.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

const SLOWEST = [
  'pages/browser/pages',
  'host-shim/program',
  'pages/browser/dashboard',
  'pages/browser/segments',
  'query/columns/audit',
  'language/interpreter/every-column',
  'query/columns/faults',
  'query/columns/stays-current',
  'query/columns/server-process',
  'db/backup',
  'data/import/undo',
  'pages/browser/custom-comparison',
  'query/columns/crashes',
  'support/harness/example',
  'pages/browser/playground-text',
  'pages/browser/playground',
  'query/columns/unique-counts',
  'pages/browser/playground-answers',
  'language/cases',
  'db/embedded',
  'data/export/round-trip',
  'support/harness/process-end',
  'data/import/killed-backend',
  'data/import/follow-random',
  'data/import/shared-records',
  'query/columns/long-rows',
  'query/columns/reported',
  'data/import/sessions',
  'query/columns/batches',
  'host-shim/host-answers',
  'db/replicas',
  'db/foreign-backup',
  'db/silent-database',
  'pages/browser/administration',
  'pages/browser/users-and-system',
  'pages/browser/sites-and-goals',
  'pages/browser/imports',
  'pages/browser/authorize',
  'pages/browser/watching',
  'language/interpreter/random-query',
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
