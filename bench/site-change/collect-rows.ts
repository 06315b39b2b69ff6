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

export type SeenVisitors = ReturnType<typeof seenVisitors>;

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

interface Span {
  low: number;
  high: number;
}

/** What the rows of a piece have in common. */
export interface Piece {
  rows: number;
  readonly ids: Span;
  readonly visits: Span;
  /** Of rows without an id or without a visit: only these meet stored rows by their time. */
  readonly times: Span;
  /** Whether their ids ascend, so that none occurs twice. */
  isAscending: boolean;
}

const noSpan = (): Span => ({ low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY });

export const emptyPiece = (): Piece => ({
  ...{ rows: 0, ids: noSpan(), visits: noSpan(), times: noSpan(), isAscending: true },
});

/** Adds the row that begins at `base` to a piece. */
export function pieceGrower({
  fieldOf,
}: TableLayout): (piece: Piece, values: Float64Array, base: number) => void {
  const at = { id: fieldOf('pv_id'), visit: fieldOf('session_id'), time: fieldOf('at') };
  const widen = (span: Span, value: number): void => {
    if (value < span.low) span.low = value;
    if (value > span.high) span.high = value;
  };
  return (piece, values, base) => {
    const [id, visit] = [values[base + at.id] ?? 0, values[base + at.visit] ?? 0];
    piece.rows += 1;
    piece.isAscending &&= id > piece.ids.high && id < FIRST_GENERATED_ID;
    if (id < FIRST_GENERATED_ID) widen(piece.ids, id);
    widen(piece.visits, visit);
    if (id >= FIRST_GENERATED_ID || Number.isNaN(visit)) widen(piece.times, values[base + at.time] ?? 0);
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
  seen: SeenVisitors,
): (batch: RowBatch, row: number) => void {
  const at = {
    ...{ site: fieldOf('site_id'), line: fieldOf('line'), status: fieldOf('status'), view: fieldOf('pv_id') },
    ...{ visit: fieldOf('session_id'), visitor: fieldOf('reader_id'), namedBy: fieldOf('named_by') },
    ...{ mayBeKnown: fieldOf('may_be_known'), source: fieldOf('source_no'), browse: fieldOf('browse_sec') },
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
    values[base + at.mayBeKnown] = seen.mayBeStored(values[base + at.visitor] ?? 0) ? 1 : 0;
  };
}
