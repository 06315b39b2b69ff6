// Orders the test files. On a clean clone, Jest orders them by size, and a small but slow file would start late and delay the end.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

const SLOWEST = [
  'query/columns/server-process',
  'host-shim/program',
  'language/interpreter/every-column',
  'query/columns/unique-counts',
  'query/both-engines',
  'pages/browser/dashboard',
  'support/harness/process-end',
  'language/time/every-zone',
  'pages/browser/pages',
  'query/columns/faults',
  'query/columns/stays-current',
  'query/columns/audit',
  'language/interpreter/interpreter',
  'language/cases',
  'query/columns/long-rows',
  'support/harness/example',
  'language/interpreter/random-query',
  'data/import/demo',
  'query/columns/batches',
  'query/columns/reported',
  'query/columns/bounded-copy',
  'support/harness/exit-code',
  'db/replicas',
  'data/import/random-conversions',
  'host-shim/bare-host',
  'host-shim/several-processes',
  'language/interpreter/counting',
  'language/interpreter/by-id',
  'language/interpreter/grouped',
  'data/import/random-history',
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
