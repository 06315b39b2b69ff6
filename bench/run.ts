// `make bench`: starts installations of its own, measures, prints the tables and writes them to docs/performance.md.
// Without SIZE it is the demo site and a small comparison; --only leaves one of the two out, --data keeps the comparison's
// data, --match asks the queries with a word in their name and writes nothing, --page writes to another page.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runComparison } from './comparison';
import { isSize, SIZES, type Size } from './data/shape';
import { measureDemo } from './demo';
import { loadDuck } from './duck';
import { withBenchHost } from './host';
import { measureLoader } from './loader';
import { PAGE, partsOf, publish } from './page';
import { growthSections } from './report/growth';

const DEMO_TIMEOUT_SECONDS = 300;
const DEFAULT_SIZE = '100k';

interface Options {
  readonly size: Size | undefined;
  readonly only: 'demo' | 'comparison' | undefined;
  readonly data: string | undefined;
  readonly match: string | undefined;
  readonly page: string;
}

async function main(): Promise<void> {
  const { size, only, data, match, page } = readOptions(process.argv.slice(2));
  const tell = (text: string) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  // A missing package is reported before anything is measured.
  const withDuck = only !== 'demo' && (await hasDuck(size !== undefined, tell));
  const directory = mkdtempSync(join(tmpdir(), 'qal-bench-'));
  try {
    if (only !== 'demo')
      await runComparison({
        size: size ?? DEFAULT_SIZE,
        directory: data ?? join(directory, 'comparison'),
        withDuck,
        match,
        page,
        tell,
      });
    if (only !== 'comparison' && match === undefined) await runDemo(join(directory, 'demo'), page);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  if (match !== undefined) return;
  const growth = growthSections(partsOf(page));
  if (growth.length > 0) publish(page, 'growth', 'How it grows', growth);
}

/** A run with a size needs DuckDB; the default run does without it where it is not installed. */
async function hasDuck(needed: boolean, tell: (text: string) => void): Promise<boolean> {
  try {
    await loadDuck();
    return true;
  } catch (error) {
    if (needed) throw error;
    tell(`Without DuckDB. ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function runDemo(dataDir: string, page: string): Promise<void> {
  await withBenchHost({ dataDir, queryTimeoutSeconds: DEMO_TIMEOUT_SECONDS }, async (host) => {
    publish(page, 'demo', 'The demo site', [
      `First start (new database cluster, migrations, extension): ${host.startSeconds.toFixed(1)} s.`,
      ...(await measureDemo(host)),
      ...(await measureLoader(host.installation.database.write)),
    ]);
  });
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string' },
      only: { type: 'string' },
      data: { type: 'string' },
      match: { type: 'string' },
      page: { type: 'string', default: PAGE },
    },
  });
  const { size, only, data, match, page } = values;
  if (size !== undefined && !isSize(size))
    throw new Error(`There is no size ${size}; the sizes are ${Object.keys(SIZES).join(', ')}.`);
  if (only !== undefined && only !== 'demo' && only !== 'comparison')
    throw new Error('--only takes demo or comparison.');
  return { size, only, match, page: resolve(page), data: data === undefined ? undefined : resolve(data) };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
