// `make bench`: starts installations of its own, measures, prints the tables and writes them to docs/performance.md.
// SIZE adds the comparison with other engines; --only leaves the other part out, --data keeps the
// comparison's data, --match asks the queries with a word in their name and writes nothing to the page.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LIMIT_MS, measureComparison } from './comparison';
import { SIZES, type Size } from './data/shape';
import { measureDemo } from './demo';
import { loadDuck } from './duck';
import { withBenchHost } from './host';
import { measureLoader } from './loader';
import { publish } from './page';

const DEMO_TIMEOUT_SECONDS = 300;

interface Wish {
  readonly size: Size | undefined;
  readonly only: 'demo' | 'comparison' | undefined;
  readonly data: string | undefined;
  readonly match: string | undefined;
}

async function main(): Promise<void> {
  const wish = readWish(process.argv.slice(2));
  const { size, only } = wish;
  // Nothing is measured for nothing: what is missing is told first.
  if (size !== undefined) await loadDuck();
  const directory = mkdtempSync(join(tmpdir(), 'qal-bench-'));
  try {
    if (only !== 'comparison') await runDemo(join(directory, 'demo'));
    if (size !== undefined) await runComparison(size, wish, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function runDemo(dataDir: string): Promise<void> {
  await withBenchHost({ dataDir, queryTimeoutSeconds: DEMO_TIMEOUT_SECONDS }, async (host) => {
    publish('demo', 'The demo site', [
      `First start (new database cluster, migrations, extension): ${host.startSeconds.toFixed(1)} s.`,
      ...(await measureDemo(host)),
      ...(await measureLoader(host.installation.database.write)),
    ]);
  });
}

async function runComparison(size: Size, { data, match }: Wish, directory: string): Promise<void> {
  const dataDir = data ?? join(directory, 'comparison');
  mkdirSync(dataDir, { recursive: true });
  const tell = (text: string) => process.stderr.write(`${text}\n`);
  await withBenchHost({ dataDir, queryTimeoutSeconds: LIMIT_MS / 1000 }, async (host) => {
    const sections = await measureComparison(host, size, { directory, match, tell });
    if (match !== undefined) process.stdout.write(`${sections.join('\n\n')}\n`);
    else publish(size, `Compared with other engines: ${size} page views`, sections);
  });
}

function readWish(args: string[]): Wish {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string' },
      only: { type: 'string' },
      data: { type: 'string' },
      match: { type: 'string' },
    },
  });
  const { size, only, data, match } = values;
  if (size !== undefined && !isSize(size))
    throw new Error(`There is no size ${size}; the sizes are ${Object.keys(SIZES).join(', ')}.`);
  if (only !== undefined && only !== 'demo' && only !== 'comparison')
    throw new Error('--only takes demo or comparison.');
  return { size, only, match, data: data === undefined ? undefined : resolve(data) };
}

const isSize = (text: string): text is Size => Object.hasOwn(SIZES, text);

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
