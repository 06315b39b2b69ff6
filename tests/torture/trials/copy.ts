// Copies tables to columns and compares them with PostgreSQL. Table sizes vary byte by byte around buffer sizes.
import { Client, type ClientBase } from 'pg';
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { describeCopiedTables } from '../../../extension/query/columns/copied-tables';
import { copyTo } from '../../../host-shim/extension-api';
import { loadManifest } from '../../../manifests/reader/manifest';
import type { Dice } from '../../language/interpreter/random/dice';
import { expectEqualTables, openTestColumns } from '../../support/columns';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { createMemoryLog } from '../../support/memory-log';
import type { Report, Scale, Trial } from '../trial';

const KIB = 1024;
const BUFFERS = [4 * KIB, 8 * KIB, 16 * KIB, 64 * KIB, 1024 * KIB] as const;
/** Either a single row of the full size, or rows of about 500 bytes each. */
const ROW_BYTES = [Number.POSITIVE_INFINITY, 500] as const;
/** All ids have six digits. The view, without which the site would not be copied, is on a page with a smaller id. */
const FIRST_ID = 100_000;
const SITES = [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }];
const VIEW = { url: 'https://shop.example/', access_time: 1_767_225_600, original_id: 'v' };

/** Writes pages whose titles have `titles` characters in total. The UPDATE marks them as changed. */
async function writePages({ write }: TestDatabase, titles: number, pages: number): Promise<void> {
  const length = Math.floor(titles / pages);
  const last = titles - length * (pages - 1);
  await write.transaction(async (transaction) => {
    await transaction.raw('UPDATE analytics.page SET title = NULL WHERE page_id > ?', [FIRST_ID]);
    await transaction.raw('DELETE FROM analytics.page WHERE page_id > ?', [FIRST_ID]);
    await transaction.raw(
      `INSERT INTO analytics.page (site_id, page_id, url, text_key)
         SELECT site_id, ?::int + n, '/', gen_random_uuid() FROM analytics.site, generate_series(1, ?::int) n`,
      [FIRST_ID, pages],
    );
    await transaction.raw(
      `UPDATE analytics.page SET title = repeat('x', CASE WHEN page_id = ?::int THEN ?::int ELSE ?::int END)
        WHERE page_id > ?`,
      [FIRST_ID + pages, last, length, FIRST_ID],
    );
  });
}

/** The number of bytes that PostgreSQL sends for all pages. */
async function bytesOfPages(client: Client, columns: string): Promise<number> {
  let bytes = 0;
  await copyTo(
    client,
    `COPY (SELECT ${columns} FROM analytics.page) TO STDOUT (FORMAT csv)`,
    async (pieces) => {
      for await (const piece of pieces) bytes += piece.length;
    },
  );
  return bytes;
}

async function copiedColumns(client: ClientBase): Promise<string> {
  const tables = await describeCopiedTables(client, loadManifest());
  const page = tables.find(({ name }) => name === 'page');
  if (page === undefined) throw new Error('Pages are not copied.');
  return page.fields.map(({ name }) => name).join(', ');
}

/** Yields sizes around each buffer size, the nearest ones first, each in a single row and in many rows. */
function* sizes(tries: number): Generator<{ readonly bytes: number; readonly rowBytes: number }> {
  for (let step = 0, count = 0; ; step++) {
    const distance = (step % 2 === 0 ? -1 : 1) * Math.ceil(step / 2);
    for (const buffer of BUFFERS)
      for (const rowBytes of ROW_BYTES) {
        if (count++ === tries) return;
        yield { bytes: buffer + distance, rowBytes };
      }
  }
}

async function refreshAll(
  database: TestDatabase,
  client: Client,
  report: Report,
  { tries }: Scale,
): Promise<void> {
  const { log, logged } = createMemoryLog();
  const columns = await openTestColumns(database, { log, isCounted: true });
  const names = await copiedColumns(client);
  try {
    const before = await bytesOfPages(client, names);
    await writePages(database, 1, 1);
    const overhead = (await bytesOfPages(client, names)) - before - 1;
    for (const { bytes, rowBytes } of sizes(tries)) {
      const pages = Math.max(1, Math.floor(bytes / rowBytes));
      const title = `${bytes} bytes in ${pages} rows`;
      await writePages(database, bytes - before - pages * overhead, pages);
      const sent = await bytesOfPages(client, names);
      if (sent !== bytes) report.fault('wrong', `${title}: PostgreSQL sent ${sent} bytes`);
      report.tried();
      await columns.refresh();
      await expectEqualTables(database, columns).catch((error) =>
        report.fault('wrong', `${title}: ${String(error).slice(0, 200)}`),
      );
      // If a copy differs before it is committed, the table is copied again, and this is logged.
      for (const { msg } of logged.splice(0)) report.fault('wrong', `${title}: ${msg}`);
    }
  } finally {
    await columns.stop();
  }
}

export const copy: Trial = {
  name: 'copy',
  title:
    'Tables whose sizes step byte by byte past buffer sizes of 4, 8, 16 and 64 KiB and 1 MiB, in one row and in many, are copied exactly to columns on the first attempt',
  tries: 2_000,
  async run(_dice: Dice, report, scale) {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    try {
      await client.connect();
      await applySites(database.write, { sites: SITES });
      await importRows(database.write, loadManifest(), { material: 'allpv', site: 'shop', rows: [VIEW] });
      await refreshAll(database, client, report, scale);
    } finally {
      await client.end();
      await database.drop();
    }
  },
};
