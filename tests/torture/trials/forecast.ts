// Checks the forecast of when the disk will be full, on an accelerated clock.
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { createInstallation, type Installation } from '../installation';
import { createMovedClock } from '../moved-clock';
import { withDisk } from '../small-disk';
import type { Report, Trial } from '../trial';

const DISK_MB = 1_536;
const DAY_MS = 86_400_000;
const FORECAST_DAY = 20;
const LAST_DAY = 30;
const VIEWS_PER_DAY = 8_000;
const PAGES = 2_000;
const PATIENCE_MS = 60_000;
/** The maximum error of the forecast, as a percentage of the space used on the last day. */
const MAX_DEVIATION = 10;

const SITES = 'sites:\n  - { tracking_id: shop, domain: shop.example, name: Shop, timezone: UTC }\n';

export const forecast: Trial = {
  name: 'forecast',
  title: `On day ${FORECAST_DAY} of a site that grows every day, Health predicts within ${MAX_DEVIATION}% how much disk space is used on day ${LAST_DAY}`,
  tries: 1,
  async run(dice, report) {
    const clock = await createMovedClock();
    try {
      await withDisk(DISK_MB, async ({ folder }) => {
        const installation = await createInstallation(clock.environment, folder);
        try {
          const server = await installation.serve();
          const { code, err } = await installation.run(['sites', 'apply', '-'], {}, SITES);
          if (code !== 0) throw new Error(err);
          const start = Math.ceil(clock.now().getTime() / DAY_MS) * DAY_MS;
          report.tried();
          let expected = Number.NaN;
          for (let day = 1; day <= LAST_DAY; day++) {
            await clock.moveTo(new Date(start + day * DAY_MS));
            await untilMeasured(installation, new Date(start + day * DAY_MS));
            if (day === FORECAST_DAY) expected = await expectedUse(installation, server.url, folder);
            const lines = linesOfDay(day, start + (day - 1) * DAY_MS, () => dice.below(PAGES));
            const imported = await installation.run(['import', 'allpv', '--site', 'shop', '-'], {}, lines);
            if (imported.code !== 0) throw new Error(imported.err);
          }
          compare(expected, await usedBytes(installation), report);
        } finally {
          await installation.remove();
        }
      });
    } finally {
      await clock.remove();
    }
  },
};

const linesOfDay = (day: number, begin: number, page: () => number): string =>
  Array.from(
    { length: VIEWS_PER_DAY },
    (_, index) =>
      `${JSON.stringify({
        pv_id: day * VIEWS_PER_DAY + index,
        url: `https://shop.example/${page()}`,
        access_time: new Date(begin + index * 10_000).toISOString(),
        original_id: `visitor ${day} ${index % (VIEWS_PER_DAY / 4)}`,
      })}\n`,
  ).join('');

/** Waits for the server's measurement, which is part of its hourly run, before the day's import. */
async function untilMeasured({ sql }: Installation, day: Date): Promise<void> {
  const isMeasured = async () => {
    const [row] = await sql<{ is: boolean }>(
      'SELECT EXISTS (SELECT FROM analytics.stored_day WHERE day = $1::date) AS is',
      [day.toISOString().slice(0, 10)],
    );
    return row?.is === true;
  };
  for (const before = performance.now(); !(await isMeasured()); )
    if (performance.now() - before > PATIENCE_MS) throw new Error(`${day.toISOString()} was not measured.`);
}

/** Returns the predicted use on the last day, based on a line from /healthz: `Disk: fine, 80% free, full in about 170 days`. */
async function expectedUse(installation: Installation, url: string, folder: string): Promise<number> {
  const lines = await fetch(`${url}/healthz?details=1`).then((response) => response.text());
  const days = Number(/^Disk: .* full in about (\d+) days$/m.exec(lines)?.[1]);
  const { bavail, bsize } = await statfs(folder);
  const perDay = (bavail * bsize) / days;
  // The import of day 20 is not stored yet.
  return (await usedBytes(installation)) + perDay * (LAST_DAY - FORECAST_DAY + 1);
}

/** Returns the size of the database and the columnar copy, without the write-ahead log, which does not grow with them. */
async function usedBytes({ sql, dataDir }: Installation): Promise<number> {
  const [row] = await sql<{ bytes: number }>('SELECT pg_database_size(current_database())::float8 AS bytes');
  const columns = join(dataDir, 'columns');
  const sizes = (await readdir(columns)).map(async (name) => (await stat(join(columns, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, row?.bytes ?? 0);
}

function compare(expected: number, used: number, report: Report): void {
  const off = Math.abs(expected / used - 1) * 100;
  const inMb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  report.note(`${inMb(expected)} expected, ${inMb(used)} used, ${off.toFixed(1)}% off`);
  if (!(off <= MAX_DEVIATION)) report.fault('wrong', `the forecast is ${off.toFixed(1)}% off`);
}
