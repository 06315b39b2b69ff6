// How times grow with the data: tables read from the parts of the page, one part for each size.
import { MATERIALS } from '../data/shape';
import { table, tableBelow } from '../page';
import { RANGES } from '../queries';

const SIZES = ['1m', '3m', '10m'] as const;

type Rows = readonly ReadonlyMap<string, string>[];

/** The sections; none before two sizes are on the page. */
export function growthSections(parts: ReadonlyMap<string, string>): readonly string[] {
  const sizes = SIZES.filter((size) => parts.has(size));
  if (sizes.length < 2) return [];
  const tablesOf = (part: string, heading: string): readonly Rows[] =>
    sizes.map((size) => tableBelow(parts.get(`${size}${part}`) ?? '', `### ${heading}`));
  const answers = RANGES.map((days) => tablesOf('', `${days} days`));
  const loads = tablesOf('-load', 'Load');
  const clients = tablesOf('-clients', 'Clients at once');
  return [
    'Each column is from the run of its size below. *ours*, the whole request over HTTP, milliseconds.',
    table(
      ['question', ...RANGES.flatMap((days) => sizes.map((size) => `${days} days, ${size}`))],
      namesIn(answers.flat(), 'question').map((name) => [
        name,
        ...answers.flatMap((tables) => cellsOf(tables, 'question', name, 'ours')),
      ]),
    ),
    table(
      ['load', ...sizes],
      MATERIALS.flatMap((material) =>
        ['rows/s', 'MB'].map((column) => [
          `${material}, ${column}`,
          ...cellsOf(loads, 'material', material, column),
        ]),
      ),
    ),
    table(
      ['clients', ...sizes],
      namesIn(clients, 'clients').flatMap((number) =>
        ['requests/s', 'p50', 'p99'].map((column) => [
          `${number}, ${column}`,
          ...cellsOf(clients, 'clients', number, column),
        ]),
      ),
    ),
  ];
}

/** All values of a column, each once. */
const namesIn = (tables: readonly Rows[], column: string): readonly string[] => [
  ...new Set(tables.flatMap((rows) => rows.flatMap((row) => row.get(column) ?? []))),
];

/** One cell of each table, in the row with this name; empty where it has none. */
const cellsOf = (
  tables: readonly Rows[],
  nameColumn: string,
  name: string,
  column: string,
): readonly string[] =>
  tables.map((rows) => rows.find((row) => row.get(nameColumn) === name)?.get(column) ?? '');
