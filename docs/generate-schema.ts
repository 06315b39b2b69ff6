// Program: migrates a database in a temporary folder, and writes its schema to db/schema.sql and the migrations' checksums to
// db/migrations.sha256. It fails if a recorded migration has changed. `make check` fails if a file is out of date.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRODUCT } from '../host-shim/main';
import { configure } from '../host-shim/server/config';
import { openMigratedDatabase, schemasOf } from '../host-shim/server/installation';
import { createLog } from '../host-shim/server/logging';
import { describeSchema } from './describe-schema';
import { changedMigrations, migrationChecksums } from './migration-checksums';

const FILE = join(__dirname, '../db/schema.sql');
const CHECKSUMS = join(__dirname, '../db/migrations.sha256');
const HEAD = '-- Generated from the migrations by `make schema`. Do not edit.\n\n';

async function describeNewDatabase(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'qal-schema-'));
  const { config, extensions: installed } = configure(PRODUCT.extensions, { DATA_DIR: dataDir });
  try {
    const { database } = await openMigratedDatabase({
      config,
      installed,
      log: createLog('warn'),
      clock: () => new Date(),
    });
    try {
      const schemas = schemasOf(installed).map(({ schema }) => schema);
      return HEAD + (await describeSchema(database.write, schemas));
    } finally {
      await database.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const { extensions } = configure(PRODUCT.extensions, {});
  const checksums = await migrationChecksums(schemasOf(extensions));
  const recorded = await readFile(CHECKSUMS, 'utf8');
  const faults = changedMigrations(recorded, checksums);
  if (faults.length > 0) {
    process.stderr.write(`${faults.join('\n')}\n`);
    process.exitCode = 1;
    return;
  }
  const text = await describeNewDatabase();
  await writeFile(CHECKSUMS, checksums);
  await writeFile(FILE, text);
}

void main();
