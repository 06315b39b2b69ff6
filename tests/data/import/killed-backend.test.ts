// The database session of an import is killed, as by the out-of-memory killer. PostgreSQL then ends all sessions and
// recovers.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { openDatabase } from '../../../db/connect';
import { SUPERUSER } from '../../../db/embedded/cluster';
import { DATABASE } from '../../../db/embedded/host-lock';
import { SOCKET_PORT, socketPlace } from '../../../db/embedded/socket';
import { migrate } from '../../../db/migrate';
import { listImports } from '../../../extension/data/import/import-record';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { useProgram } from '../../support/program-process';
import { SCHEMAS } from '../../support/test-server';
import { useFolder } from '../../support/use-folder';

const program = useProgram(join(__dirname, '../../../host-shim/cli/qal.ts'));
/** More views than fit into one piece, so some rows are written before the rest are read. */
const VIEWS = 70_000;
/** The views that are imported again. */
const REPEATED = 1_000;
const shop = { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' };
const lines = Array.from({ length: VIEWS }, (_, index) => {
  const access_time = new Date(Date.UTC(2026, 4, 1) + index * 10_000).toISOString();
  return `${JSON.stringify({ url: `https://shop.example/${index % 40}`, access_time })}\n`;
});

const dataDir = useFolder({ perFile: true, inMemory: true });
beforeAll(async () => {
  const database = await open();
  await migrate(database.write, SCHEMAS, database.readerRole);
  await applySites(database.write, { sites: [shop] });
  await database.stop();
});

const open = () =>
  openDatabase({
    dataDir,
    poolMax: 2,
    onPoolError(error) {
      throw error;
    },
  });

/** Waits for the session that writes rows, and kills it. */
async function killWriter(): Promise<void> {
  const { directory } = socketPlace(join(dataDir, 'postgres'));
  const connection = { host: directory, port: SOCKET_PORT, user: SUPERUSER, database: DATABASE };
  const findWriter = async (): Promise<number | undefined> => {
    const client = new Client({ ...connection, ssl: false });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query(
        `SELECT pid FROM pg_locks WHERE relation = 'analytics.page_view'::regclass AND mode = 'RowExclusiveLock'`,
      );
      return rows[0]?.pid;
    } catch {
      // The command has not started the server yet.
      return undefined;
    } finally {
      await client.end().catch(() => {});
    }
  };
  for (;;) {
    const pid = await findWriter();
    if (pid !== undefined) return void process.kill(pid, 'SIGKILL');
    await wait(50);
  }
}

/** The number of page views, and the outcomes of the imports, newest first. */
async function stored() {
  const database = await open();
  try {
    const { rows } = await database.write.raw('SELECT count(*)::int AS views FROM analytics.page_view');
    const { imports } = await listImports(database.read, {});
    return { views: rows[0].views, imports: imports.map(({ status }) => status) };
  } finally {
    await database.stop();
  }
}

test('an import whose session is killed leaves no rows and is recorded as failed; later commands work, and the import can be repeated', async () => {
  const file = join(dataDir, 'views.ndjson');
  await writeFile(file, lines.slice(0, REPEATED).join(''));

  // The rest of the file never arrives, so the import runs until its session ends.
  const killed = program.start(['import', 'allpv', '--site', 'shop', '-'], { DATA_DIR: dataDir });
  killed.child.stdin?.on('error', () => {});
  killed.child.stdin?.write(lines.join(''));
  await killWriter();
  killed.child.stdin?.end();
  expect(await killed.ended).toBe(1);

  const repeated = await program.run(['import', 'allpv', '--site', 'shop', file], { DATA_DIR: dataDir });
  expect(repeated).toMatchObject({ code: 0, out: expect.stringMatching(/^added +1,000$/m) });
  expect(await stored()).toEqual({ views: REPEATED, imports: ['done', 'failed'] });
});
