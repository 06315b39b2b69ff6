// Runs tests on a Citus cluster: the case files, random queries, and the tests of imports, corrections, undo, removals and a
// worker that is down. Arguments: connection strings of superusers for the coordinator and its workers, separated by spaces, and
// the seed for the random queries.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Tests whose results do not depend on the number of machines. */
const TESTS = [
  'tests/api/sweep.test.ts',
  'tests/api/worker-away.test.ts',
  'tests/language/cases.test.ts',
  'tests/data/import/sessions.test.ts',
  'tests/data/import/random-history.test.ts',
  'tests/data/import/undo.test.ts',
  'tests/data/import/waiting-rows.test.ts',
  'tests/data/removal/erased-rows.test.ts',
  'tests/data/removal/removal.test.ts',
  'tests/data/removal/retention.test.ts',
  'tests/data/storage/distribute-again.test.ts',
  'tests/data/storage/stored-sizes.test.ts',
];
/** Distributing a database takes many times as long as copying one. */
const TIMEOUT_MS = 600_000;

const [urls = '', seed = ''] = process.argv.slice(2);
const [coordinator, ...workers] = urls.split(' ').filter((url) => url !== '');

function run(command: string, args: readonly string[]): void {
  const variables = [`TEST_DATABASE_URL=${coordinator}`, `TEST_CITUS_WORKERS=${workers.join(' ')}`];
  const program = join(__dirname, '../../../node_modules/.bin', command);
  const { status } = spawnSync('env', [...variables, program, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}

if (workers.length === 0)
  process.stdout.write(
    'Skipped: no Citus cluster is configured. Set CITUS_URLS="<coordinator> <worker> ..." (docs/how-to/several-machines.md).\n',
  );
else {
  // The expected SQL of the cases is for a single machine.
  // One test file at a time, because two databases cannot create the same role on a worker simultaneously.
  run('jest', [...TESTS, '-t', '^(?!SQL )', '-i', `--testTimeout=${TIMEOUT_MS}`]);
  run('tsx', ['tests/language/interpreter/fuzz.ts', '--rounds=2', seed]);
}
