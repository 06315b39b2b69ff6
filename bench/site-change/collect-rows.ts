// What a row of the file becomes before it is staged.
import { numberTable } from '../../extension/data/import/bounded-maps';
import {
  FIRST_GENERATED_ID,
  type IdCounters,
  SESSION_READER_BASE,
} from '../../extension/data/import/generated-ids';
import { NAMED_BY, TRAFFIC_FIELDS } from '../../extension/data/import/page-view/view-fields';
import type { RowBatch } from '../../extension/data/import/row-batch';
import type { TableLayout } from '../../extension/data/import/table-layout';

/** Which visitors may have stored views: all, unless the site was empty and its visitors so far fit into memory. */
export function seenVisitors(isEmpty: boolean, capacity: number) {
  const pieceOf = numberTable(capacity);
  let piece = 1;
  let isComplete = isEmpty;
  return {
    mayBeStored(visitor: number): boolean {
      if (!isComplete) return true;
      const first = pieceOf.get(visitor);
      if (first !== undefined) return first < piece;
      isComplete = pieceOf.hasRoom(1);
      pieceOf.set(visitor, piece);
      return !isComplete;
    },
    nextPiece(): void {
      piece += 1;
    },
  };
}

/** The layout with the line and the status of a row. */
export function withLine(layout: TableLayout): TableLayout {
  const extra = (name: string, type: 'int8' | 'int2' | 'bool') => ({
    name,
    type,
    nullable: true,
    fallback: Number.NaN,
  });
  const added = [extra('line', 'int8'), extra('status', 'int2'), extra('may_be_known', 'bool')];
  const columns = [...layout.columns, ...added];
  const places = new Map(columns.map(({ name }, place) => [name, place]));
  return {
    ...layout,
    columns,
    width: columns.length,
    fieldOf: (name) => places.get(name) ?? layout.fieldOf(name),
  };
}

/** Fills in what is no value of the file: its site, its line, what named the visitor, and numbers where it has none. */
export function rowCompleter(
  { fieldOf, width }: TableLayout,
  siteId: number,
  browseSec: boolean,
  counters: IdCounters,
): (batch: RowBatch, row: number) => void {
  const at = {
    ...{ site: fieldOf('site_id'), line: fieldOf('line'), status: fieldOf('status'), view: fieldOf('pv_id') },
    ...{ visit: fieldOf('session_id'), visitor: fieldOf('reader_id'), namedBy: fieldOf('named_by') },
    ...{ source: fieldOf('source_no'), browse: fieldOf('browse_sec') },
    ...{ isBrowseDerived: fieldOf('is_browse_derived'), isVisitTraffic: fieldOf('is_visit_traffic') },
  };
  const traffic = TRAFFIC_FIELDS.map(fieldOf);
  return ({ values, lines }, row) => {
    const base = row * width;
    const isOpen = (field: number): boolean => Number.isNaN(values[base + field] ?? 0);
    values[base + at.site] = siteId;
    values[base + at.line] = lines[row] ?? 0;
    values[base + at.status] = 0;
    values[base + at.source] = 0;
    if (isOpen(at.view)) values[base + at.view] = counters.view();
    const reader = values[base + at.visitor] ?? 0;
    if (!Number.isNaN(reader)) {
      if (isOpen(at.namedBy))
        values[base + at.namedBy] = reader >= FIRST_GENERATED_ID ? NAMED_BY.original : NAMED_BY.number;
    } else if (isOpen(at.visit)) {
      values[base + at.namedBy] = NAMED_BY.nothing;
      values[base + at.visitor] = counters.reader();
    } else {
      values[base + at.namedBy] = NAMED_BY.visit;
      values[base + at.visitor] = SESSION_READER_BASE + (values[base + at.visit] ?? 0);
    }
    if (browseSec && isOpen(at.browse)) values[base + at.isBrowseDerived] = 1;
    if (!traffic.every(isOpen)) values[base + at.isVisitTraffic] = 1;
  };
}
