// Guesses the columns of a CSV file from its beginning, for the Imports page and the command's hint.

import { fileColumns, requiredColumns } from '../../../manifests/reader/import-columns';
import type { Material } from '../../../manifests/reader/manifest';
import { csvCells } from './formats/csv-records';
import { type Formats, recogniseFormat } from './formats/recognise-format';
import { ImportError } from './import-error';
import { LEFT_OUT, writePairs } from './read-pairs';
import { columnForSynonym } from './row-checker';

export interface SuggestedColumn {
  readonly name: string;
  readonly samples: readonly string[];
  /** The name of a column that can be imported, or LEFT_OUT. */
  readonly to: string;
}

const DELIMITERS = [';', '\t', '|'];
const MAX_SAMPLES = 3;
/** Including the header. */
const MAX_RECORDS = 101;
const MAX_SAMPLE_LENGTH = 80;

/**
 * Suggests a format and, unless the format defines its own columns, a mapping of the columns; the default delimiter is left
 * out. Throws an ImportError if the file cannot be imported. `text` is the beginning of the file, cut after a record.
 */
export function suggestColumns(
  formats: Formats,
  material: Material,
  { name, text }: { readonly name: string | undefined; readonly text: string },
) {
  const delimiter = delimiterOf(text);
  const format = recogniseFormat(formats, { name, text, delimiter });
  if (format.name !== 'csv') return { format };
  const [header = [], ...records] = csvCells(text, delimiter ?? format.delimiter, MAX_RECORDS);
  const names = fileColumns(material);
  const taken = new Set(header.filter((one) => names.includes(one)));
  const meantBy = (one: string): string => {
    if (names.includes(one)) return one;
    const meant = columnForSynonym(one, names);
    if (meant === undefined || taken.has(meant)) return LEFT_OUT;
    taken.add(meant);
    return meant;
  };
  const columns = header.map((one, place) => ({
    name: one,
    samples: records
      .map((cells) => cells[place]?.trim() ?? '')
      .filter((cell) => cell !== '')
      .slice(0, MAX_SAMPLES)
      .map((cell) => cell.slice(0, MAX_SAMPLE_LENGTH)),
    to: meantBy(one),
  }));
  return { format, delimiter, columns };
}

/** The delimiter that splits the first line into the most cells; undefined if that is the comma. */
function delimiterOf(text: string): string | undefined {
  const [line = ''] = text.split('\n', 1);
  if (/^[{<]/.test(line.trimStart())) return undefined;
  const cellsBy = (delimiter: string) => line.split(delimiter).length;
  const [best] = [...DELIMITERS].sort((one, other) => cellsBy(other) - cellsBy(one));
  return best !== undefined && cellsBy(best) > cellsBy(',') ? best : undefined;
}

/** Drops an incomplete CSV record from the end of the text. Returns the whole text if no record is complete. */
export function completeRecords(text: string): string {
  let isQuoted = false;
  let end = 0;
  for (const { 0: char, index } of text.matchAll(/["\n]/g)) {
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted) end = index + 1;
  }
  return end === 0 ? text : text.slice(0, end);
}

/** The value of the `--map` option, without columns that keep their names; empty if all do. */
export const mapOf = (columns: readonly Pick<SuggestedColumn, 'name' | 'to'>[]): string =>
  writePairs(columns.filter(({ name, to }) => name !== to).map(({ name, to }) => [name, to]));

/** All reasons why a file with these columns cannot be imported into the dataset. */
export function columnFaults(
  material: Material,
  columns: readonly Pick<SuggestedColumn, 'name' | 'to'>[],
): readonly string[] {
  const names = fileColumns(material);
  const used = columns.filter(({ to }) => to !== LEFT_OUT);
  const byTarget = Map.groupBy(used, ({ to }) => to);
  const allNamed = (name: string) => columns.filter((column) => column.name === name);
  const repeated = new Set(used.map(({ name }) => name).filter((name) => allNamed(name).length > 1));
  const lacking = requiredColumns(material).filter((name) => !byTarget.has(name));
  return [
    ...[...repeated].map(
      (name) =>
        `${allNamed(name).length} columns are named ${name}: rename them in the file, or leave all of them out.`,
    ),
    ...used.filter(({ to }) => !names.includes(to)).map(({ to }) => `${material.name} has no column ${to}.`),
    ...[...byTarget]
      .filter(([, all]) => new Set(all.map(({ name }) => name)).size > 1)
      .map(([to, all]) => `${all.map(({ name }) => name).join(' and ')} would both be imported as ${to}.`),
    ...lacking.map((name) => `No column is imported as ${name}, which is required.`),
  ];
}

/** Suggests a mapping for a CSV file with other column names. Undefined if none is needed or the file cannot be read. */
export function mapHint(
  formats: Formats,
  material: Material,
  start: { readonly name: string; readonly text: string },
) {
  try {
    const { columns = [], delimiter } = suggestColumns(formats, material, start);
    const map = mapOf(columns);
    return map === '' ? undefined : { map, delimiter };
  } catch (error) {
    if (error instanceof ImportError) return undefined;
    throw error;
  }
}
