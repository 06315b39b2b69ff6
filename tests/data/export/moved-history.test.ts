// A site with a random history is exported and imported as a new site. Both then contain the same facts and derived values, even
// after further imports, corrections, undos and removals.

import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { exportSite } from '../../../extension/data/export/export-site';
import { ImportError } from '../../../extension/data/import/import-error';
import type { ImportReport } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { removeOldVisits } from '../../../extension/data/removal/old-visits';
import { RemovalError, removeData } from '../../../extension/data/removal/remove-data';
import { UndoError, undoImport } from '../../../extension/data/removal/undo-import';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { parseSiteFile, readSiteYaml } from '../../../extension/data/storage/sites/site-file';
import { writeParquet } from '../../../extension/query/columns/write-parquet';
import { tries } from '../../support/long-run';
import { createMemoryLog } from '../../support/memory-log';
import { removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { AT, manifest } from '../import/import-setup';
import { type Action, action } from '../import/random-actions';
import { siteContents } from '../import/site-contents';

const database = useTestDatabase();
const clock = () => new Date('2026-06-01T00:00:00Z');
const signal = new AbortController().signal;
const { FUZZ_RUNS, FUZZ_SEED = '20261124' } = process.env;
const RUNS = FUZZ_RUNS === undefined ? tries(2, 30) : Number(FUZZ_RUNS);

const folder = useFolder({ perFile: true });

const NIGHT = AT + 86_400 - (AT % 86_400);
const AGENTS = ['Firefox/140.0', 'Chrome/130.0'];
/** Log lines around midnight, some of them in the same second. */
const line = fc
  .record({
    at: fc.integer({ min: -3, max: 3 }).map((step) => NIGHT + step * 900),
    ip: fc.constantFrom('192.0.2.7', '192.0.2.8'),
    agent: fc.constantFrom(...AGENTS),
    path: fc.constantFrom('/1', '/2', '/2?utm_source=ad', '/9'),
    referrer: fc.constantFrom('-', 'https://other.example/'),
  })
  .map(({ at, ip, agent, path, referrer }) => {
    const [, month, day, year, time] =
      /^\w+, (\d+) (\w+) (\d+) (\S+)/.exec(new Date(at * 1000).toUTCString()) ?? [];
    return `${ip} - - [${month}/${day}/${year}:${time} +0000] "GET ${path} HTTP/1.1" 200 5 "${referrer}" "Mozilla/5.0 (X11; Linux x86_64) ${agent}"\n`;
  });

/** If `hasTexts` is true, ids are strings. */
type Step = { readonly source: string | undefined; readonly hasTexts: boolean } & (
  | { readonly action: Action }
  | { readonly lines: readonly string[] }
);
const source = fc.constantFrom(undefined, undefined, 'web-1', 'web-2');
const hasTexts = fc.nat(2).map((number) => number === 0);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ action, source, hasTexts }) },
  {
    weight: 2,
    arbitrary: fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 12 }), source, hasTexts }),
  },
);
const steps = fc.array(step, { minLength: 3, maxLength: 9 });

const IDS = new Set(['pv_id', 'session_id', 'reader_id', 'version_id']);
const withTexts = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, IDS.has(name) ? `id ${value}` : value]),
  );

/** A site, and its imports that this test can undo. */
interface Site {
  readonly name: string;
  readonly imports: number[];
}

let sites = 0;
const newName = () => {
  sites += 1;
  return `moved-${sites}`;
};

const counts = ({ added, updated, kept, unchanged, rejected, waiting }: ImportReport) =>
  JSON.stringify({ added, updated, kept, unchanged, rejected, waiting });

/** Runs a step. Returns its outcome in terms that do not depend on the site. */
async function runStep({ name, imports }: Site, one: Step, files: readonly Step[]): Promise<string> {
  const { write } = database;
  const sourceName = one.source === undefined ? {} : { sourceName: one.source };
  if ('lines' in one) {
    const report = await importFile({
      write,
      manifest,
      material: 'allpv',
      site: name,
      source: 'access.log',
      format: 'combined',
      clock,
      input: Readable.from([Buffer.from(one.lines.join(''))]),
      onError: 'stop',
      ...sourceName,
    });
    imports.push(report.importId ?? 0);
    return counts(report);
  }
  const { action: chosen } = one;
  switch (chosen.kind) {
    case 'import': {
      const report = await importRows(write, manifest, {
        material: chosen.material,
        rows: one.hasTexts ? chosen.rows.map(withTexts) : chosen.rows,
        site: name,
        clock,
        ...sourceName,
      });
      imports.push(report.importId ?? 0);
      return counts(report);
    }
    case 'again':
    case 'redo': {
      const file = files[chosen.which % Math.max(1, files.length)];
      return file === undefined ? 'nothing' : await runStep({ name, imports }, file, []);
    }
    case 'undo': {
      const importId = imports[imports.length - 1 - (chosen.which % 4)];
      if (importId === undefined) return 'nothing';
      await undoImport({ write, manifest, importId, login: 'ann', clock });
      imports.splice(imports.indexOf(importId), 1);
      return 'undone';
    }
    case 'retention': {
      const keep = (days: number | null) =>
        write('analytics.site').where({ tracking_id: name }).update({ retention_days: days });
      await keep(1);
      const { log } = createMemoryLog();
      const then = () => new Date((chosen.before + 86_400) * 1000);
      await removeOldVisits({ write, manifest, log, clock: then }, signal);
      await keep(null);
      return 'removed';
    }
    case 'days':
    case 'visitor':
      await removeData(
        { host: removalHost(database, clock), manifest, trackingId: name, login: 'ann' },
        chosen,
      );
      // Later files may contain the visitor's rows again.
      await write('analytics.erasure').delete();
      return 'removed';
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ImportError || error instanceof UndoError || error instanceof RemovalError;

/** Runs all steps. Any of them may be rejected. */
async function runSteps(
  site: Site,
  all: readonly Step[],
  before: readonly Step[],
): Promise<readonly string[]> {
  const outcomes: string[] = [];
  const files = [...before, ...all].filter((one) => 'lines' in one || one.action.kind === 'import');
  for (const one of all)
    outcomes.push(
      await runStep(site, one, files).catch((error: unknown) => {
        if (isRefusal(error)) return 'refused';
        throw error;
      }),
    );
  return outcomes;
}

const ORDER = ['page_version', 'allpv', 'click_event', 'datalayer_event'];
const order = (file: string): number => (ORDER.indexOf(file.split('.')[0] ?? '') + 1 || 99) - 1;

async function move(from: string, format: 'ndjson' | 'csv'): Promise<Site> {
  const outFolder = join(folder, `${from}-${format}`);
  const { write } = database;
  await exportSite({
    write,
    manifest,
    site: from,
    folder: outFolder,
    format,
    signal,
    writeParquet,
    onProgress: () => {},
  });
  const name = newName();
  const [entry] = parseSiteFile(readSiteYaml(await readFile(join(outFolder, 'site.yaml'), 'utf8')));
  await applySites(write, { sites: [{ ...entry, tracking_id: name }] });
  const files = (await readdir(outFolder)).filter((file) => file !== 'site.yaml');
  const importAll = async (expected: object) => {
    for (const file of files.sort((a, b) => order(a) - order(b))) {
      const report = await importFile({
        write,
        manifest,
        material: file.split('.')[0] ?? '',
        site: name,
        source: file,
        fileName: file,
        input: createReadStream(join(outFolder, file)),
        onError: 'stop',
        clock,
      });
      expect([file, report]).toEqual([file, expect.objectContaining(expected)]);
    }
  };
  await importAll({ rejected: 0, unchanged: 0, updated: 0 });
  await importAll({ rejected: 0, added: 0, updated: 0, waiting: 0 });
  return { name, imports: [] };
}

const LAST = {
  material: 'ga4_country',
  rows: [{ date: '2026-01-01', country_code: 'DE', sessions: 1, active_users: 1 }],
};

/** Makes the site's imports permanent, removes the strings that only an undo needs, and returns the site's contents. */
async function contentsOf({ name }: Site) {
  await importRows(database.write, manifest, { ...LAST, site: name, undoableImports: 0 });
  const host = removalHost(database, clock);
  const nobody = { kind: 'visitor', originalId: 'nobody' } as const;
  await removeData({ host, manifest, trackingId: name, login: 'ann' }, nobody);
  await database.write('analytics.erasure').delete();
  const contents = await siteContents(database.write, name);
  const { rows: others } = await database.write.raw(
    `SELECT w.material, w.at, w.facts - 'source_no' AS facts, i.source_name, coalesce(p.given, w.pv_id::text) AS pv_id,
            coalesce(s.given, w.session_id::text) AS session_id, coalesce(r.given, w.reader_id::text) AS reader_id
       FROM analytics.waiting_row w JOIN analytics.site USING (site_id)
       LEFT JOIN analytics.import_source i ON i.site_id = w.site_id AND i.source_no = (w.facts ->> 'source_no')::integer
       LEFT JOIN analytics.given_id p ON p.site_id = w.site_id AND p.kind = 'pv_id' AND p.id = w.pv_id
       LEFT JOIN analytics.given_id s ON s.site_id = w.site_id AND s.kind = 'session_id' AND s.id = w.session_id
       LEFT JOIN analytics.given_id r ON r.site_id = w.site_id AND r.kind = 'reader_id' AND r.id = w.reader_id
      WHERE tracking_id = ? AND row_id IS NULL`,
    [name],
  );
  return { ...contents, waiting: others.map((row: object) => JSON.stringify(row)).sort() };
}

/** Checks that a site with some history equals its moved copies, even after further steps. */
async function expectEqualAfterMove(before: readonly Step[], after: readonly Step[]): Promise<void> {
  const site: Site = { name: newName(), imports: [] };
  const goals = [
    { id: 1, name: 'Page', type: 'gtype_page', condition: { url: '/2', match: 'contains' } },
    { id: 2, name: 'Event', type: 'gtype_event', condition: { event: 'buy', size: 2 } },
  ];
  const entry = { tracking_id: site.name, domain: 'example.com', name: 'Site', timezone: 'UTC', goals };
  await applySites(database.write, { sites: [{ ...entry, import: { visitors: 'month' } }] });
  await runSteps(site, before, []);
  const expected = await contentsOf(site);
  const moved = [await move(site.name, 'ndjson'), await move(site.name, 'csv')];
  for (const one of moved) expect(await contentsOf(one)).toEqual(expected);
  const original = { name: site.name, imports: [] };
  const outcomes = await runSteps(original, after, before);
  for (const one of moved) expect(await runSteps(one, after, before)).toEqual(outcomes);
  const end = await contentsOf(original);
  for (const one of moved) expect(await contentsOf(one)).toEqual(end);
}

describe('views within the same second keep their order', () => {
  const at = (time: string, path: string) =>
    `192.0.2.7 - - [02/Feb/2026:${time} +0000] "GET ${path} HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"\n`;
  const log = (...lines: readonly string[]): Step => ({ lines, source: undefined, hasTexts: false });
  const [a, b, c, later] = [
    at('23:00:00', '/2?a'),
    at('23:00:00', '/2?b'),
    at('23:00:00', '/2?c'),
    at('23:15:00', '/9'),
  ];

  test.each([
    ['if a line was inserted before a stored one', [log(b), log(a, b)], []],
    ['if a line is inserted there after the move', [log(later), log(b)], [log(a, b)]],
    ['if another line is inserted there after the move', [log(later), log(c), log(a, c)], [log(a, b, c)]],
  ])('%s', async (_name, before, after) => {
    await expectEqualAfterMove(before, after);
  });
});

// conformance: beyond.site-exported-files
test('a moved site is equal to the original, and stays equal after further steps', async () => {
  await fc.assert(fc.asyncProperty(steps, steps, expectEqualAfterMove), {
    seed: Number(FUZZ_SEED),
    numRuns: RUNS,
    endOnFailure: true,
  });
}, 2_147_483_647);
