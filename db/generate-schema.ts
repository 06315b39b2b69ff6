// Program: writes db/schema.sql from a database that is migrated in a temporary directory.
// `--check` writes nothing and fails when the file is out of date.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from './connect';
import { describeSchema } from './describe-schema';
import { migrate } from './migrate';

const FILE = join(__dirname, 'schema.sql');
const HEAD = '-- Generated from the migrations by `make schema`. Do not edit.\n\n';

/** The schemas that the migrations make. */
export const SCHEMAS = ['host', 'analytics'];

async function generate(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'qal-schema-'));
  try {
    const database = await openDatabase({
      dataDir,
      poolMax: 2,
      onPoolError(error) {
        throw error;
      },
    });
    try {
      await migrate(database.write);
      return HEAD + (await describeSchema(database.write, SCHEMAS));
    } finally {
      await database.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const text = await generate();
  if (!process.argv.includes('--check')) return writeFile(FILE, text);
  if ((await readFile(FILE, 'utf8')) !== text) {
    process.stderr.write('db/schema.sql is out of date: run `make schema`.\n');
    process.exitCode = 1;
  }
}

if (require.main === module) void main();
