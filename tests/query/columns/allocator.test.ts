// The options for DuckDB's allocator. Without them, DuckDB uses much more memory than `memory_limit`.
import { join } from 'node:path';
import { ALLOCATOR } from '../../../extension/query/columns/run-prepared';
import { type Environment, RUN_TYPESCRIPT, startProgram } from '../../support/program-process';

const PROGRAM = join(__dirname, 'allocating-process.ts');

async function load(environment: Environment): Promise<{ readonly out: string; readonly err: string }> {
  const { text, ended } = startProgram([RUN_TYPESCRIPT, PROGRAM], environment);
  expect(await ended).toBe(0);
  return text;
}

/** On other platforms, DuckDB uses the system's allocator. */
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('the allocator options are set before DuckDB is loaded, and DuckDB accepts them', async () => {
  expect(await load({})).toEqual({ out: `${ALLOCATOR}\n`, err: '' });
});

onLinux(
  'options that an administrator sets replace the defaults, and DuckDB reports unknown options',
  async () => {
    const { out, err } = await load({ DUCKDB_JE_MALLOC_CONF: `${ALLOCATOR},none:1` });
    expect(out).toBe(`${ALLOCATOR},none:1\n`);
    expect(err).toContain('Invalid conf pair: none:1');
  },
);
