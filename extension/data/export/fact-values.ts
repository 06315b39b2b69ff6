// The facts of a row: the values that came from files. The importer derives the other values from them again.

import { importableColumns, importName } from '../../../manifests/reader/import-columns';
import type { Column, Manifest, Material } from '../../../manifests/reader/manifest';
import { GIVEN_FIELDS, givenField, TRAFFIC_FIELDS, viewField } from '../change/view-columns';
import { OF_VIEW, READER_OF_ADDRESS } from '../import/derive/derive-views';
import { FACT } from '../import/fact-columns';
import { isGivenIdField } from '../import/given-ids';
import { isFound } from '../import/on-view/find-views';
import { isGivenId, NAMED_BY } from '../rows/generated-ids';
import { instant, type RowReader, storedValue } from './row-reader';

export interface ExportedColumn {
  readonly name: string;
  readonly type: Column['type'];
  readonly value: string;
}

/** The facts of a material's rows `t`, by their names in files. */
export function factsOf(
  manifest: Manifest,
  material: Material,
  reader: RowReader,
): readonly ExportedColumn[] {
  const columns = importableColumns(material);
  const { parent } = material;
  if (parent !== undefined)
    return [...columns.map((column) => named(column, viewRowFact(column, reader))), sourceName(reader)];
  if ([...manifest.materials.values()].some((other) => other.parent?.material === material.name))
    return viewFacts(columns, reader);
  return columns.map((column) => named(column, reader.value(column)));
}

const named = (column: Column, value: string): ExportedColumn => ({
  name: importName(column),
  type: column.type,
  value,
});

const sourceName = ({ joined }: RowReader): ExportedColumn => ({
  name: FACT.sourceName,
  type: 'text',
  value: joined('import_source', 'source_row', 'source_row.source_no = t.source_no', 'source_name'),
});

const FOUND_BY: Readonly<Record<string, string>> = {
  session_id: 't.found_session_id',
  reader_id: 't.found_reader_id',
};

/** A click or event names its view, or it has a time and belongs to the newest view of its visit or visitor. */
function viewRowFact(column: Column, reader: RowReader): string {
  const name = importName(column);
  const found = FOUND_BY[name];
  if (found !== undefined && isGivenIdField(name)) return reader.id(name, found);
  const value = reader.value(column);
  if (name === 'pv_id' || name === 'event_sec') return `CASE WHEN NOT ${isFound('t')} THEN ${value} END`;
  // If the row has an offset in seconds from the start of its view, the offset is the fact, and the time is derived from it.
  if (column.type === 'datetime' && column.import === 'optional')
    return `CASE WHEN ${isFound('t')} THEN ${value} END`;
  return value;
}

const PAGE_VALUES: ReadonlySet<string> = new Set(['title', 'page_type', 'page_fetch_status']);
/** The condition under which a column's value came from a file. Values of columns that are not listed always came from a file. */
const IS_GIVEN: Readonly<Partial<Record<string, string>>> = {
  pv_id: isGivenId('t.pv_id'),
  session_id: isGivenId('t.session_id'),
  reader_id: `t.named_by IN (${NAMED_BY.number}, ${NAMED_BY.text})`,
  browse_sec: 't.is_browse_derived IS NULL',
};

function viewFacts(columns: readonly Column[], reader: RowReader): readonly ExportedColumn[] {
  const { joined } = reader;
  const facts = columns.flatMap((column): readonly ExportedColumn[] => {
    const traffic = TRAFFIC_FIELDS.find((field) => field === column.via);
    if (traffic === undefined) return [named(column, viewFact(column, reader))];
    return [
      named(column, `CASE WHEN t.is_visit_traffic THEN ${reader.value(column)} END`),
      {
        name: `${OF_VIEW}${column.name}`,
        type: column.type,
        value: reader.dimension(column, viewField(traffic)),
      },
    ];
  });
  return [
    ...facts,
    {
      name: READER_OF_ADDRESS,
      type: 'id',
      value: `CASE WHEN t.named_by = ${NAMED_BY.address} THEN t.reader_id END`,
    },
    { name: FACT.isVisitTraffic, type: 'flag', value: 't.is_visit_traffic::int' },
    { name: FACT.isBrowseDerived, type: 'flag', value: 't.is_browse_derived::int' },
    sourceName(reader),
    {
      name: FACT.firstAt,
      type: 'datetime',
      value: instant(joined('visitor_first', 'first_row', IS_FIRST_ROW, 'first_at')),
    },
  ];
}

/** The earliest of the times that imports and removals stored for a visitor. */
const IS_FIRST_ROW = `first_row.reader_id = t.reader_id AND NOT EXISTS (
  SELECT FROM analytics.visitor_first e WHERE e.site_id = first_row.site_id AND e.reader_id = first_row.reader_id
     AND (e.first_at, e.import_id) < (first_row.first_at, first_row.import_id))`;

function viewFact(column: Column, { value, dimension, joined }: RowReader): string {
  const { name, via } = column;
  const given = GIVEN_FIELDS.find((field) => field === (via ?? name));
  if (given !== undefined)
    return via === undefined ? storedValue(column, givenField(given)) : dimension(column, givenField(given));
  if (PAGE_VALUES.has(name))
    return joined('page_state', 'page_state', 'page_state.page_state_id = t.page_state_id', name);
  if (name === 'original_id') {
    const ofView = joined(
      'reader_state',
      'reader_state',
      'reader_state.reader_state_id = t.reader_state_id',
      name,
    );
    return `CASE WHEN t.named_by = ${NAMED_BY.original} THEN ${value(column)} ELSE ${ofView} END`;
  }
  const isGiven = IS_GIVEN[name];
  return isGiven === undefined ? value(column) : `CASE WHEN ${isGiven} THEN ${value(column)} END`;
}
