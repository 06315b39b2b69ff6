// Owns the tables on how times grow with the data: read from the parts that the page has, one for each size.
import { MATERIALS } from '../data/shape';
import { table, tableBelow } from '../page';
import { RANGES } from '../queries';

const SIZES = ['1m', '3m', '10m'] as const;

/** The sections; none before two sizes are on the page. */
export function growthSections(parts: ReadonlyMap<string, string>): readonly string[] {
  const sizes = SIZES.filter((size) => parts.has(size));
  if (sizes.length < 2) return [];
  const cells = new Map<string, string>();
  const names = new Set<string>();
  for (const size of sizes) {
    for (const days of RANGES) {
      for (const row of tableBelow(parts.get(size) ?? '', `### ${days} days`)) {
        const name = row.get('question');
        if (name === undefined) continue;
        names.add(name);
        cells.set(`${name} ${days} ${size}`, row.get('ours') ?? '');
      }
    }
  }
  const head = RANGES.flatMap((days) => sizes.map((size) => `${days} days, ${size}`));
  const answers = [...names].map((name) => [
    name,
    ...RANGES.flatMap((days) => sizes.map((size) => cells.get(`${name} ${days} ${size}`) ?? '')),
  ]);
  return [
    'Each column is from the run of its size below. *ours*, the whole request over HTTP, milliseconds.',
    table(['question', ...head], answers),
    ...loadGrowth(parts, sizes),
    ...clientsGrowth(parts, sizes),
  ];
}

function loadGrowth(parts: ReadonlyMap<string, string>, sizes: readonly string[]): readonly string[] {
  const loads = sizes.map((size) => tableBelow(parts.get(`${size}-load`) ?? '', '### Load'));
  const rows = MATERIALS.flatMap((material) =>
    ['rows/s', 'MB'].map((column) => [
      `${material}, ${column}`,
      ...loads.map((load) => load.find((row) => row.get('material') === material)?.get(column) ?? ''),
    ]),
  );
  return [table(['load', ...sizes], rows)];
}

function clientsGrowth(parts: ReadonlyMap<string, string>, sizes: readonly string[]): readonly string[] {
  const all = sizes.map((size) => tableBelow(parts.get(`${size}-clients`) ?? '', '### Clients at once'));
  const numbers = [...new Set(all.flatMap((rows) => rows.map((row) => row.get('clients') ?? '')))];
  const rows = numbers.flatMap((clients) =>
    ['requests/s', 'p50', 'p99'].map((column) => [
      `${clients}, ${column}`,
      ...all.map((own) => own.find((row) => row.get('clients') === clients)?.get(column) ?? ''),
    ]),
  );
  return numbers.length === 0 ? [] : [table(['clients', ...sizes], rows)];
}
