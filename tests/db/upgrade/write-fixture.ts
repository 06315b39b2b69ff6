// Program: writes a backup of a database with the current schema for the upgrade test, unless an earlier release with the same
// schema already did. The file is named after the last migration; files with earlier schemas are kept. Usage: make
// upgrade-fixture
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBackup } from '../../../db/backup/write-backup';
import { programVersion } from '../../../host-shim/extension-api';
import { PRODUCT } from '../../../host-shim/main';
import { configure } from '../../../host-shim/server/config';
import { openMigratedDatabase } from '../../../host-shim/server/installation';
import { createLog } from '../../../host-shim/server/logging';
import { clock, fillFixture } from './fixture';

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'qal-fixture-'));
  const { config, extensions: installed } = configure(PRODUCT.extensions, { DATA_DIR: dataDir });
  const { database } = await openMigratedDatabase({ config, installed, log: createLog('warn'), clock });
  try {
    const { write } = database;
    await fillFixture(write);
    const { rows } = await write.raw(
      `SELECT max(name) AS last FROM migrations.applied_file WHERE schema = 'analytics'`,
    );
    const file = join(__dirname, `${rows[0].last}.gz`);
    const { signal } = new AbortController();
    if (!existsSync(file))
      await writeBackup({ write, file, program: programVersion(), clock, signal, onProgress: () => {} });
    process.stdout.write(`${file}\n`);
  } finally {
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

void main();
