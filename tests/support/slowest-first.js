// The order of the test files. Jest goes by their size where it has not seen them run, as on a clean clone; then a small file that
// takes long begins late and runs on alone at the end.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

const SLOWEST = [
  'qal/interpreter/interpreter',
  'qal/interpreter/counting',
  'host/program',
  'columns/server-process',
  'qal/interpreter/every-column',
  'columns/unique-counts',
  'qal/interpreter/by-id',
  'qal/both-engines',
  'browser/dashboard',
  'harness/process-end',
  'time/every-zone',
  'browser/pages',
  'qal/interpreter/grouped',
  'columns/faults',
  'columns/long-rows',
  'import/random-history',
  'harness/example',
  'qal/interpreter/random-query',
  'import/demo',
  'columns/batches',
  'columns/told',
  'columns/bounded-copy',
  'harness/exit-code',
  'db/replicas',
  'import/random-conversions',
  'host/bare-host',
  'host/several-processes',
].map((name) => join(__dirname, '..', `${name}.test.ts`));

for (const path of SLOWEST)
  if (!existsSync(path)) throw new Error(`${path} is in the order, and is not there.`);

module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    const rest = super.sort(tests);
    const first = SLOWEST.flatMap((path) => rest.filter((test) => test.path === path));
    return [...first, ...rest.filter((test) => !first.includes(test))];
  }
};
