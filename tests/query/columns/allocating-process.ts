// Program: loads DuckDB as the server does, and prints the options of DuckDB's allocator.
import { execFileSync } from 'node:child_process';
import { loadDuckDB } from '../../../extension/query/columns/run-prepared';

void loadDuckDB().then(() =>
  execFileSync('sh', ['-c', 'echo "$DUCKDB_JE_MALLOC_CONF"'], { stdio: ['ignore', 'inherit', 'inherit'] }),
);
