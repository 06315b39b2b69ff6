// A program that loads DuckDB as the server does, and prints its allocator's options.
import { execFileSync } from 'node:child_process';
import { loadDuckDB } from '../../../extension/query/columns/run-prepared';

void loadDuckDB().then(() =>
  execFileSync('sh', ['-c', 'echo "$DUCKDB_JE_MALLOC_CONF"'], { stdio: ['ignore', 'inherit', 'inherit'] }),
);
