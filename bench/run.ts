// `make bench`: loads, measures, and reports. See docs/performance.md.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { diskOf, isSize, SIZES, type Size } from './data/shape';
import { type LoaderCosts, measureLoader } from './loader';
import { measureSize, resultsIn } from './measure-size';
import { pageSections } from './report/page';
import { rawSections } from './report/raw';
import type { Run } from './report/run';

const DEFAULT_SIZE: Size = '100k';
/** The report for this size is committed, and also contains the smaller sizes. */
const FULL_SIZE: Size = '10m';
const GROWTH_SIZES: readonly Size[] = ['1m', '3m'];
const LOADER_VIEWS = 500_000;

const PAGE = 'docs/performance.md';
const RAW_PAGE = 'docs/performance-raw.md';
const MARK = '<!-- written by make bench: everything below this line -->';

interface Options {
  readonly size: Size;
  readonly data: string | undefined;
  readonly match: string | undefined;
  readonly isReportOnly: boolean;
}

async function main(): Promise<void> {
  const { size, data, match, isReportOnly } = readOptions(process.argv.slice(2));
  const directory = data ?? mkdtempSync(join(tmpdir(), 'qal-bench-'));
  const growthSizes = size === FULL_SIZE ? GROWTH_SIZES : [];
  try {
    if (!isReportOnly) await measure(directory, size, growthSizes, match);
    if (match === undefined) report(readRun(directory, size, growthSizes));
  } finally {
    if (data === undefined) rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(
  directory: string,
  size: Size,
  growthSizes: readonly Size[],
  match: string | undefined,
): Promise<void> {
  const measureOne = (one: Size, isForGrowth: boolean) =>
    measureSize({
      size: one,
      directory: join(directory, one),
      isForGrowth,
      match,
      log: (text) => log(one, text),
    });
  checkDisk(directory, size);
  await measureOne(size, false);
  if (match !== undefined) return;
  if (!existsSync(loaderFile(directory))) {
    log('loader', 'importing rows with ids and rows without ids ...');
    const folder = join(directory, 'loader');
    mkdirSync(folder, { recursive: true });
    const costs = await measureLoader(folder, Math.min(LOADER_VIEWS, SIZES[size]));
    rmSync(folder, { recursive: true });
    writeFileSync(loaderFile(directory), JSON.stringify(costs));
  }
  for (const smaller of growthSizes) await measureOne(smaller, true);
}

const GIGABYTE = 1e9;

/** Reports how much disk space the run needs. Throws if less is available, unless there is data from an earlier run. */
function checkDisk(directory: string, size: Size): void {
  mkdirSync(directory, { recursive: true });
  const { bavail, bsize } = statfsSync(directory);
  const inGigabytes = (bytes: number): string => (bytes / GIGABYTE).toFixed(1);
  const facts = `needs about ${inGigabytes(diskOf(size))} GB of disk space; ${inGigabytes(bavail * bsize)} GB is free`;
  if (diskOf(size) > bavail * bsize && !existsSync(join(directory, size)))
    throw new Error(`${size} ${facts}.`);
  log(size, facts);
}

const loaderFile = (directory: string): string => join(directory, 'loader.json');

const log = (what: string, text: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${what}: ${text}\n`);
};

function readRun(directory: string, size: Size, growthSizes: readonly Size[]): Run {
  const file = loaderFile(directory);
  const loader: LoaderCosts | undefined = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : undefined;
  return {
    about: describeRun(),
    size,
    results: resultsIn(join(directory, size)),
    growth: Object.fromEntries(growthSizes.map((one) => [one, resultsIn(join(directory, one))])),
    loader,
  };
}

/** Prints the report; the one for the full size is also written to docs/. */
function report(run: Run): void {
  const page = pageSections(run).join('\n\n');
  const raw = rawSections(run).join('\n\n');
  process.stdout.write(`${page}\n\n${raw}\n`);
  if (run.size !== FULL_SIZE) return;
  const [about = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  writeFileSync(PAGE, `${about}${MARK}\n\n${page}\n`);
  writeFileSync(RAW_PAGE, `${raw}\n`);
}

/** Date, commit and machine. */
function describeRun(): string {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  const cpu = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const machine = `${cpus().length} cores (${cpu}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${machine}, Node ${process.versions.node}.`;
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string', default: DEFAULT_SIZE },
      data: { type: 'string' },
      match: { type: 'string' },
      report: { type: 'boolean', default: false },
    },
  });
  const { size, data, match, report: isReportOnly } = values;
  if (!isSize(size)) throw new Error(`Unknown size: ${size}. Sizes: ${Object.keys(SIZES).join(', ')}.`);
  if (isReportOnly && data === undefined)
    throw new Error('--report requires --data with the directory of the results.');
  return { size, match, isReportOnly, data: data === undefined ? undefined : resolve(data) };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
