// Completes rows before they are checked: page views with what follows from their columns, other rows with the stored form of
// their addresses.
import { RAW_VIEW_COLUMNS } from '../../../../manifests/reader/formats';
import {
  cleanAddress,
  DERIVED_COLUMNS,
  type DeriveContext,
  deriveView,
  type OpenRow,
  READER_OF_ADDRESS,
  TRAFFIC_COLUMNS,
  type Traffic,
} from './derive-views';
import { PLACE_COLUMNS } from './place-of-address';

/** Completes an object in place. Throws a BadValue. */
export function objectCompleter(material: string, context: DeriveContext): (row: OpenRow) => void {
  if (material === 'allpv') return (row) => deriveView(row, 'visit', context);
  return (row) => void cleanAddress(row, 'url', context.site);
}

interface CellCompleter {
  /** The names of the completed cells. */
  readonly names: readonly string[];
  /** The completed cells of a row. Throws a BadValue. */
  complete(cells: readonly unknown[]): readonly unknown[];
}

const RAW: readonly string[] = RAW_VIEW_COLUMNS;
/** The columns that others are derived from, besides the derived ones. */
const SOURCES = [
  'url',
  'prev_url',
  'next_url',
  'access_time',
  'reader_id',
  'original_id',
  'referrer',
  ...RAW,
] as const;

/** Compiles the completion of rows with these columns. */
export function cellCompleter(
  material: string,
  names: readonly string[],
  traffic: Traffic,
  context: DeriveContext,
): CellCompleter {
  if (material !== 'allpv' && !names.includes('url')) return { names, complete: (cells) => cells };
  const isView = material === 'allpv';
  const hasRaw = isView && RAW.some((name) => names.includes(name));
  const kept = names.filter((name) => !isView || !RAW.includes(name));
  const added = isView
    ? DERIVED_COLUMNS.filter(
        (name) => !names.includes(name) && (hasRaw || traffic === 'view' || !RAW_ONLY.has(name)),
      )
    : [];
  const all = [...kept, ...added];
  const known = isView ? [...new Set([...SOURCES, ...DERIVED_COLUMNS, ...TRAFFIC_COLUMNS])] : ['url'];
  const isKnown = new Set(known);
  // One object for all rows: its shape never changes.
  const row: OpenRow = Object.fromEntries(known.map((name) => [name, undefined]));
  const inputs = known.map((name) => ({ name, place: names.indexOf(name) }));
  const outputs = all.map((name) => ({ name, place: isKnown.has(name) ? -1 : names.indexOf(name) }));
  return {
    names: all,
    complete(cells) {
      for (const { name, place } of inputs) row[name] = place < 0 ? undefined : cells[place];
      if (isView) deriveView(row, traffic, context);
      else cleanAddress(row, 'url', context.site);
      return outputs.map(({ name, place }) => (place < 0 ? (row[name] ?? '') : cells[place]));
    },
  };
}

/** Columns that only a file of single requests lets us derive. */
const RAW_ONLY: ReadonlySet<string> = new Set([
  ...['os', 'browser', 'device_type', ...PLACE_COLUMNS, READER_OF_ADDRESS],
  ...['view.referrer', 'view.source_domain'],
]);
