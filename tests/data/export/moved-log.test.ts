// A log is imported, its site is moved, and the same log is imported into the moved site.
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { exportSite } from '../../../extension/data/export/export-site';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { parseSiteFile, readSiteYaml } from '../../../extension/data/storage/sites/site-file';
import { writeParquet } from '../../../extension/query/columns/write-parquet';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { manifest } from '../import/import-setup';

const database = useTestDatabase();
const folder = useFolder({ perFile: true });

const LINES = ['/a', '/b', '/a'].map(
  (path, index) =>
    `192.0.2.${index} - - [01/Mar/2026:12:00:00 +0000] "GET ${path} HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"\n`,
);
const importLog = (site: string, sourceName: string) =>
  importFile({
    write: database.write,
    manifest,
    material: 'allpv',
    site,
    source: 'access.log',
    sourceName,
    format: 'combined',
    input: Readable.from([Buffer.from(LINES.join(''))]),
    onError: 'stop',
    clock: () => new Date('2026-06-01T00:00:00Z'),
  });
const CLICKS = [
  { session_id: 'late', access_time: '2026-03-01T12:00:00Z', selector: '#a' },
  { pv_id: 'view', event_sec: 3, selector: '#b' },
];
const importClicks = (site: string, sourceName: string) =>
  importRows(database.write, manifest, { material: 'click_event', site, rows: CLICKS, sourceName });

// conformance: beyond.site-exported-files
test.each(['ndjson', 'csv'] as const)(
  'after an export as %s, the lines are recognized by their source',
  async (format) => {
    const { write } = database;
    const site = { tracking_id: `log-${format}`, domain: 'example.com', name: 'Log', timezone: 'UTC' };
    await applySites(write, { sites: [site] });
    await importLog(site.tracking_id, 'web-1');
    await importLog(site.tracking_id, 'web-2');
    await importRows(write, manifest, {
      material: 'allpv',
      site: site.tracking_id,
      rows: [{ pv_id: 'view', url: 'https://example.com/c', access_time: '2026-03-01T12:00:00Z' }],
    });
    expect(await importClicks(site.tracking_id, 'app')).toMatchObject({ added: 1, waiting: 1 });

    const outFolder = join(folder, format);
    await exportSite({
      write,
      manifest,
      site: site.tracking_id,
      folder: outFolder,
      format,
      writeParquet,
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    const [entry] = parseSiteFile(readSiteYaml(await readFile(join(outFolder, 'site.yaml'), 'utf8')));
    const moved = { ...entry, tracking_id: `moved-${format}` };
    await applySites(write, { sites: [moved] });
    for (const material of ['allpv', 'click_event']) {
      const name = `${material}.stored.${format}`;
      await importFile({
        write,
        manifest,
        material,
        site: moved.tracking_id,
        source: name,
        fileName: name,
        input: createReadStream(join(outFolder, name)),
        onError: 'stop',
        clock: () => new Date(),
      });
    }
    const none = { added: 0, updated: 0, rejected: 0 };
    for (const name of ['web-1', 'web-2'])
      expect(await importLog(moved.tracking_id, name)).toMatchObject({ ...none, unchanged: LINES.length });
    expect(await importLog(moved.tracking_id, 'web-3')).toMatchObject({ added: LINES.length });
    expect(await importClicks(moved.tracking_id, 'app')).toMatchObject({ ...none, waiting: 0, unchanged: 2 });
    expect(await importClicks(moved.tracking_id, 'other')).toMatchObject({ added: 1, waiting: 1 });

    const otherSecret = { ...moved, import: { visitor_secret: 'ab'.repeat(32) } };
    await expect(applySites(write, { sites: [otherSecret] })).rejects.toThrow(
      'sites[0].import.visitor_secret: differs from the secret that this site already uses',
    );
    expect(await applySites(write, { sites: [moved] })).toMatchObject([{ outcome: 'unchanged' }]);
  },
);
