// The installation whose processes are killed, and what it should contain. Each try continues where the last one ended.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { readSavedStatus } from '../../../../extension/query/columns/columns-status';
import type { Environment } from '../../../support/program-process';
import { basicHeader } from '../../../support/test-host';
import { createInstallation, type Installation, type Server } from '../../installation';
import { isRaw } from '../../is-raw';
import type { Report } from '../../trial';

const VIEWS = 5_000;
const PAGES = 20;
const VISITORS = 50;
/** The ids in file n start at n times this number. */
const IDS_PER_FILE = 100_000;
/** How long the copy may take to become current. After a failure, it pauses for up to ten times as long as the attempt took. */
const COPY_MS = 120_000;
/** How long the job may take to end, and the server to work again, after a process is killed. */
export const PATIENCE_MS = 60_000;

export const SITE = 'shop';
const SITES = `sites:\n  - { tracking_id: ${SITE}, domain: shop.example, name: Shop, timezone: UTC }\n`;

/** A file of page views, and which of them should be stored. */
export interface ViewsFile {
  readonly number: number;
  readonly path: string;
  isStored: boolean;
  /** The numbers of the visitors that were erased after the import. */
  readonly erased: Set<number>;
}

export interface World {
  readonly installation: Installation;
  /** The folder in which other installations are created. Undefined for the default folder. */
  readonly place: string | undefined;
  /** The folder for the files of its jobs. */
  readonly folder: string;
  readonly files: ViewsFile[];
  server: Server;
  /** An Authorization header of a user who may import. */
  readonly authorization: string;
  loginPassword: string;
}

export const storedFiles = ({ files }: World) => files.filter(({ isStored }) => isStored);

export const originalId = (file: ViewsFile, visitor: number): string => `v${file.number}-${visitor}`;

export async function createWorld(environment: Environment = {}, place?: string): Promise<World> {
  const installation = await createInstallation(environment, place);
  try {
    const server = await installation.serve();
    const folder = join(installation.dataDir, '..', 'files');
    await mkdir(folder);
    const created = await installation.run([
      'passwords',
      'create',
      'admin',
      '--name',
      'trial',
      '--level',
      'import',
    ]);
    const sites = await installation.run(['sites', 'apply', '-'], {}, SITES);
    if (created.code !== 0 || sites.code !== 0) throw new Error(`${created.err}${sites.err}`);
    const authorization = basicHeader({ login: 'admin', secret: created.out.trim() });
    return { installation, place, folder, files: [], server, authorization, loginPassword: '' };
  } catch (error) {
    await installation.remove();
    throw error;
  }
}

/** Waits until the server is ready. If it has exited, starts it again, as a process supervisor would. */
export async function revive(world: World, report: Report): Promise<void> {
  let code: number | undefined;
  const died = world.server.ended.then((ended) => {
    code = ended;
  });
  const isReady = () =>
    fetch(`${world.server.url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  for (const before = Date.now(); ; await Promise.race([died, pause(100)])) {
    if (code !== undefined) break;
    if (await isReady()) return;
    if (Date.now() - before > PATIENCE_MS)
      throw new Error(`The server is not ready: ${world.server.text.err}`);
  }
  if (isRaw(world.server.text.err))
    report.fault('wrong', `internals in a message from the server: ${world.server.text.err}`);
  world.server = await world.installation.serve();
}

/** Writes the next file, with the views of one day. */
export async function writeFileOfViews(world: World): Promise<ViewsFile> {
  const number = world.files.length + 1;
  const file = {
    number,
    path: join(world.folder, `views-${number}.ndjson`),
    isStored: false,
    erased: new Set<number>(),
  };
  const day = Date.UTC(2026, 0, number);
  const lines = Array.from({ length: VIEWS }, (_, index) =>
    JSON.stringify({
      pv_id: number * IDS_PER_FILE + index,
      url: `https://shop.example/${index % PAGES}`,
      access_time: new Date(day + index * 16_000).toISOString(),
      original_id: originalId(file, index % VISITORS),
      browse_sec: secondsOf(index),
    }),
  );
  await writeFile(file.path, `${lines.join('\n')}\n`);
  world.files.push(file);
  return file;
}

const secondsOf = (index: number): number => index % 7;

/** Returns the number of views from this file that should be stored. */
export const viewsOf = ({ isStored, erased }: ViewsFile): number =>
  isStored ? VIEWS - erased.size * (VIEWS / VISITORS) : 0;

/** Returns the number of views from this file that are stored. */
export async function storedViews({ installation }: World, { number }: ViewsFile): Promise<number> {
  const [row] = await installation.sql<{ views: number }>(
    'SELECT count(*)::int AS views FROM analytics.page_view WHERE pv_id / $1 = $2',
    [IDS_PER_FILE, number],
  );
  return row?.views ?? 0;
}

/** One line per page: views, visitors and seconds. */
type Summary = readonly string[];
const summaryRow = (page: string, views: number, visitors: number, seconds: number) =>
  `${page}: ${views} views of ${visitors} visitors, ${seconds} s`;

function expectedSummary({ files }: World): Summary {
  const pages = Array.from({ length: PAGES }, () => ({ views: 0, visitors: new Set<string>(), seconds: 0 }));
  for (const file of files.filter(({ isStored }) => isStored))
    for (let index = 0; index < VIEWS; index++) {
      const page = pages[index % PAGES];
      if (page === undefined || file.erased.has(index % VISITORS)) continue;
      page.views += 1;
      page.seconds += secondsOf(index);
      page.visitors.add(originalId(file, index % VISITORS));
    }
  return pages.flatMap(({ views, visitors, seconds }, page) =>
    views === 0 ? [] : [summaryRow(`https://shop.example/${page}`, views, visitors.size, seconds)],
  );
}

async function storedSummary({ installation }: World): Promise<Summary> {
  const rows = await installation.sql<{ url: string; views: number; visitors: number; seconds: number }>(
    `SELECT url, count(*)::int AS views, count(DISTINCT reader_id)::int AS visitors, sum(browse_sec)::int AS seconds
       FROM analytics.page_view JOIN analytics.page USING (site_id, page_id) GROUP BY url`,
  );
  return rows.map(({ url, views, visitors, seconds }) => summaryRow(url, views, visitors, seconds));
}

export const SUMMARY_QUERY = JSON.stringify({
  tracking_id: SITE,
  materials: [{ name: 'allpv' }],
  time: { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'UTC' },
  make: {
    pages: {
      from: ['allpv'],
      keep: ['allpv.url'],
      calc: {
        views: 'COUNTUNIQUE(allpv.pv_id)',
        visitors: 'COUNTUNIQUE(allpv.reader_id)',
        seconds: 'SUM(allpv.browse_sec)',
      },
    },
  },
  result: { use: 'pages' },
});

const answerShape = z.object({
  result: z.object({ rows: z.array(z.tuple([z.string(), z.number(), z.number(), z.number()])) }),
});

/** Reads the summary with a query, which is answered from the columnar copy once the copy is current. */
async function answeredSummary({ server, authorization }: World): Promise<Summary> {
  const response = await fetch(`${server.url}/wp-json/qa-platform/query`, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    body: SUMMARY_QUERY,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`A query was answered with ${response.status}: ${text}`);
  return answerShape.parse(JSON.parse(text)).result.rows.map((row) => summaryRow(...row));
}

/** Waits until the copy is current. Returns false after COPY_MS. */
async function becomesCurrent({ installation }: World): Promise<boolean> {
  for (const before = Date.now(); Date.now() - before < COPY_MS; await pause(100)) {
    const status = await readSavedStatus(join(installation.dataDir, 'columns'));
    // After two crashes in a day, the copy would stay off. Here, the server is killed much more often.
    if (status?.obstacle === 'crashed') await installation.run(['columns', 'rebuild']);
    if (status?.state !== 'ready' || status.underWay !== undefined) continue;
    const sites = await installation.sql<{ id: number; version: string }>(
      'SELECT site_id::int AS id, token AS version FROM analytics.site_version',
    );
    const has = (site: { id: number; version: string }) =>
      status.sites.some(({ siteId, version }) => siteId === site.id && version === site.version);
    if (sites.every(has)) return true;
  }
  return false;
}

/** Compares the rows and the columnar copy with the files, and describes the differences. */
export async function differences(world: World): Promise<readonly string[]> {
  const expected = expectedSummary(world);
  const compare = (name: string, found: Summary) =>
    differing(expected, found).map((row) => `${name} and files differ: ${row}`);
  const rows = compare('rows', await storedSummary(world));
  if (!(await becomesCurrent(world))) return [...rows, `the copy was not current after ${COPY_MS / 1000} s`];
  return [...rows, ...compare('columns', await answeredSummary(world))];
}

const differing = (one: Summary, other: Summary): Summary => [
  ...one.filter((row) => !other.includes(row)).map((row) => `missing ${row}`),
  ...other.filter((row) => !one.includes(row)).map((row) => `found ${row}`),
];
