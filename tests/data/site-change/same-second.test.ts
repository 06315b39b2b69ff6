// Views by one visitor in the same second: within a file, they are in line order; across files, in the order in which the files
// were imported.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Random, seededRandom } from '../../../extension/data/demo/random';
import { exportSite } from '../../../extension/data/export/export-site';
import { importRows } from '../../../extension/data/import/import-rows';
import { removeOldVisits } from '../../../extension/data/removal/old-visits';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { writeParquet } from '../../../extension/query/columns/write-parquet';
import { tries } from '../../support/long-run';
import { createMemoryLog } from '../../support/memory-log';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest, newSite, row, storedViews, TINY } from '../import/import-setup';

const database = useTestDatabase();
const clock = () => new Date('2026-06-01T00:00:00Z');

/** A log line. Its page is unique. */
interface Line {
  readonly page: string;
  readonly visitor: string;
  readonly second: number;
}

const lineOf = (page: string): Line => ({ page, visitor: 'ann', second: 0 });

async function load(site: string, lines: readonly Line[], rest: object = {}): Promise<number> {
  const rows = lines.map(({ page, visitor, second }) => ({
    url: `https://example.com/${page}`,
    access_time: AT + second,
    original_id: visitor,
    ...rest,
  }));
  const { importId } = await importRows(database.write, manifest, {
    material: 'allpv',
    site,
    rows,
    limits: TINY,
  });
  return importId ?? 0;
}

/** Visitor -> the pages of their visit, in order. */
type Visits = Readonly<Record<string, readonly string[]>>;

const byVisitor = (parts: readonly (readonly [visitor: string, pages: readonly string[]])[]): Visits =>
  Object.fromEntries(
    parts.map(([visitor]) => [visitor, parts.flatMap(([other, pages]) => (other === visitor ? pages : []))]),
  );

async function visits(site: string): Promise<Visits> {
  const { rows }: { rows: { url: string; original_id: string }[] } = await database.write.raw(
    `SELECT url, original_id FROM analytics.site JOIN analytics.page_view USING (site_id) JOIN analytics.page USING (site_id, page_id)
       JOIN analytics.reader USING (site_id, reader_id) WHERE tracking_id = ? ORDER BY pv, url`,
    [site],
  );
  return byVisitor(rows.map(({ url, original_id }) => [original_id, [url.slice(20)]]));
}

const undo = (importId: number) =>
  undoImport({ write: database.write, manifest, importId, login: 'ann', clock });

describe('log lines in the same second', () => {
  test.each([
    ['alone', ['abcd'], 'abcd'],
    ['after a log that contains the later ones', ['cd', 'abcd'], 'abcd'],
    ['after a log that contains the earlier ones', ['ab', 'abcd'], 'abcd'],
    ['after a log that contains some in between', ['bd', 'abcde'], 'abcde'],
    ['before and after logs that contain some of them', ['d', 'bcd', 'abcd', 'cde'], 'abcde'],
    ['many times over', ['h', 'gh', 'fgh', 'efgh', 'defgh', 'cdefgh', 'bcdefgh', 'abcdefgh'], 'abcdefgh'],
    ['between two stored lines', ['az', 'abz', 'abcz', 'axbz'], 'axbcz'],
    [
      'before many stored lines in other batches',
      ['klmnopqrst', 'abcdefghijklmnopqrst'],
      'abcdefghijklmnopqrst',
    ],
    ['in a log without any of the others: in import order', ['cd', 'ab'], 'cdab'],
    ['in a different order than the stored ones, which are not reordered', ['ba', 'acb'], 'cba'],
  ])('%s', async (_name, files, pages) => {
    const site = await newSite(database.write);
    for (const file of files) await load(site, [...file].map(lineOf));
    expect(await visits(site)).toEqual({ ann: [...pages] });
  });

  test.each([
    ['visit', { session_id: 1 }],
    ['visitor', { reader_id: 1 }],
  ])('keep their order when a click belongs to the last of their %s', async (_name, ids) => {
    const site = await newSite(database.write);
    await load(site, [lineOf('b')], ids);
    await load(site, ['a', 'b'].map(lineOf), ids);
    const clicks = [{ ...ids, access_time: AT, selector: '#buy' }];
    await importRows(database.write, manifest, { material: 'click_event', site, rows: clicks });
    const { rows } = await database.write.raw(
      `SELECT p.url FROM analytics.click JOIN analytics.page p USING (site_id, page_id) JOIN analytics.site s USING (site_id)
        WHERE s.tracking_id = ?`,
      [site],
    );
    expect(rows).toEqual([{ url: 'https://example.com/b' }]);
  });

  test('keep their order in an export', async () => {
    const site = await newSite(database.write);
    for (const file of ['cd', 'abcd', 'cz']) await load(site, [...file].map(lineOf));
    const folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
    await exportSite({
      write: database.write,
      manifest,
      site,
      format: 'ndjson',
      folder,
      writeParquet,
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    const lines = (await readFile(join(folder, 'allpv.stored.ndjson'), 'utf8')).trim().split('\n');
    await rm(folder, { recursive: true });
    const copy = await newSite(database.write);
    await importRows(database.write, manifest, {
      material: 'allpv',
      site: copy,
      rows: lines.map((line) => JSON.parse(line)),
    });
    expect(await visits(copy)).toEqual({ ann: [...'abcdz'] });
  });

  test('with given ids are ordered by id, and come before those without', async () => {
    const site = await newSite(database.write);
    const rows = [row(1), row(2, { pv_id: 9 }), row(3, { pv_id: 4 })];
    await importRows(database.write, manifest, {
      material: 'allpv',
      site,
      rows: rows.map((one) => ({ ...one, access_time: AT, original_id: 'ann' })),
    });
    expect(await visits(site)).toEqual({ ann: ['3', '2', '1'] });
  });
});

describe('of two views in the same second, the earlier line is first', () => {
  const HOUR = 3_600;
  type Parts = readonly [page: string, session_id: number, seconds: number];

  /** Imports view b, which gets a lower number than view a, and then a before b. */
  async function siteWith(a: Parts, b: Parts, ...others: readonly Parts[]): Promise<string> {
    const site = await newSite(database.write);
    const loadViews = (...all: readonly Parts[]) =>
      importRows(database.write, manifest, {
        material: 'allpv',
        site,
        rows: all.map(([page, session_id, seconds]) => ({
          url: `https://example.com/${page}`,
          access_time: AT + seconds,
          reader_id: 1,
          session_id,
        })),
      });
    await loadViews(...others.filter(([, , seconds]) => seconds < 0), b);
    await loadViews(a, b);
    for (const other of others.filter(([, , seconds]) => seconds > 0)) await loadViews(other);
    return site;
  }

  async function removeBefore(site: string, day: string): Promise<void> {
    await database.write('analytics.site').where('tracking_id', site).update({ retention_days: 10 });
    const now = new Date(Date.parse(`${day}T12:00:00Z`) + 10 * 24 * HOUR * 1000);
    const options = { write: database.write, manifest, log: createMemoryLog().log, clock: () => now };
    await removeOldVisits(options, new AbortController().signal);
  }

  const newUsers = async (site: string) =>
    (await storedViews(database.write, site)).map(({ url, is_newuser }) => [url.slice(20), is_newuser]);

  test('when a later view belongs to its visit', async () => {
    const site = await siteWith(['a', 1, 0], ['b', 2, 0], ['c', 1, 100]);
    expect(await newUsers(site)).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
  });

  test('when its visit is too old', async () => {
    const site = await siteWith(['a', 1, 0], ['b', 2, 0], ['c', 2, 23 * HOUR]);
    await removeBefore(site, '2026-02-03');
    expect(await newUsers(site)).toEqual([
      ['b', false],
      ['c', false],
    ]);
  });

  test('when the visit of the other one is too old', async () => {
    const site = await siteWith(['a', 2, 0], ['b', 1, 0], ['c', 2, 23 * HOUR]);
    await removeBefore(site, '2026-02-03');
    expect(await newUsers(site)).toEqual([
      ['a', true],
      ['c', true],
    ]);
  });

  test('when the beginning of its visit is cut off', async () => {
    const site = await siteWith(['a', 1, 0], ['b', 1, 0], ['x', 1, -30 * HOUR]);
    await removeBefore(site, '2026-02-02');
    const views = await storedViews(database.write, site);
    expect(views.map(({ url, prev_url }) => [url.slice(20), prev_url?.slice(20)])).toEqual([
      ['a', 'x'],
      ['b', 'a'],
    ]);
  });
});

/** Visitor and second -> the pages, in order. */
type Model = ReadonlyMap<string, readonly string[]>;
const groupOf = ({ visitor, second }: Line): string => `${visitor} ${second}`;

/** Inserts new lines before the first stored line that follows them in the file, or at the end if there is none. */
function withFile(model: Model, file: readonly Line[]): Model {
  const after = new Map(model);
  for (const group of new Set(file.map(groupOf))) {
    const pages = file.filter((line) => groupOf(line) === group).map(({ page }) => page);
    const stored = model.get(group) ?? [];
    const placed = [...stored];
    for (const [index, page] of pages.entries()) {
      if (stored.includes(page)) continue;
      const next = stored.find((one) => pages.indexOf(one) > index);
      placed.splice(next === undefined ? placed.length : placed.indexOf(next), 0, page);
    }
    after.set(group, placed);
  }
  return after;
}

function modelVisits(model: Model): Visits {
  const groups = [...model].map(([group, pages]) => ({ key: group.split(' '), pages }));
  const chronological = groups.toSorted((a, b) => Number(a.key[1]) - Number(b.key[1]));
  return byVisitor(chronological.map(({ key, pages }) => [key[0] ?? '', pages]));
}

const randomLog = (random: Random): readonly Line[] => {
  let second = 0;
  return Array.from({ length: 40 }, (_, index) => {
    if (random.chance(0.15)) second += 1;
    return { page: `page-${index}`, visitor: `visitor-${random.between(1, 3)}`, second };
  });
};

test.each([1, 2, 3, 4, 5, 6].slice(0, tries(3, 6)))(
  'overlapping parts of a log can be imported in any order, undone and imported again (%i)',
  async (seed) => {
    const random = seededRandom(seed);
    const log = randomLog(random);
    const site = await newSite(database.write);
    let model: Model = new Map();
    for (let part = 0; part < 8; part += 1) {
      const start = random.between(0, 35);
      const lines = log.slice(start, start + random.between(1, 25));
      const before = await visits(site);
      const importId = await load(site, lines);
      model = withFile(model, lines);
      const stored = await visits(site);
      expect(stored).toEqual(modelVisits(model));
      if (random.chance(0.5)) continue;
      await undo(importId);
      expect(await visits(site)).toEqual(before);
      await load(site, lines);
      expect(await visits(site)).toEqual(stored);
    }
  },
);
