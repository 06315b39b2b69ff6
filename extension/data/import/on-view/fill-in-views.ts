// Finds the page view of each click or event in a batch, and fills in the values derived from it. Rows whose view is not
// stored yet have to wait.

import { placesOf, type RowBatch, setValue, valueAt } from '../../rows/row-batch';
import type { TableLayout } from '../../rows/table-layout';
import { BadValue } from '../import-error';
import type { LateRejection } from '../loader';
import type { LoaderContext } from '../loader-context';
import { largestOf } from '../parse-value';
import { fileId, findViews, lookUpFault, lookUpViews, type Seeker, type StoredView } from './find-views';
import type { ViewRows } from './view-row-tables';

/** Fields filled in from the view or by the importer. */
export const FROM_VIEW = [
  'view_at',
  'session_id',
  'page_id',
  'site_id',
  'fingerprint',
  'pv_id',
  'at',
  'found_session_id',
  'found_reader_id',
];

/** Reads and writes the values of a row by the names of their fields. */
export function namedFields({ fieldOf }: TableLayout) {
  return {
    get: (batch: RowBatch, row: number, name: string): number => valueAt(batch, row, fieldOf(name)),
    set(batch: RowBatch, row: number, values: Readonly<Record<string, number>>): void {
      for (const [name, value] of Object.entries(values)) setValue(batch, row, fieldOf(name), value);
    },
  };
}

/** No earlier time can be stored. Only a page view that was inserted with SQL into an old version of the database may be earlier. */
const EARLIEST = 86_400;

const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** Returns a function that fills in the new rows of a batch. */
export function viewFiller(
  { client, siteId }: LoaderContext,
  layout: TableLayout,
  { secondsField, fallbacks }: Pick<ViewRows, 'secondsField' | 'fallbacks'>,
  fingerprint: (batch: RowBatch, row: number) => void,
) {
  const { get, set } = namedFields(layout);

  const seekersOf = (batch: RowBatch, rows: Uint32Array): readonly Seeker[] =>
    [...rows]
      .filter((row) => Number.isNaN(get(batch, row, 'pv_id')))
      .map((row) => {
        const sessionId = known(get(batch, row, 'session_id'));
        const readerId = sessionId === undefined ? known(get(batch, row, 'reader_id')) : undefined;
        return { row, sessionId, readerId, at: get(batch, row, 'at') };
      });

  /** The error in a row, regardless of its view. */
  const rowFault = (batch: RowBatch, row: number, seeker: Seeker | undefined): BadValue | undefined => {
    if (seeker !== undefined) return lookUpFault(seeker);
    const hasTime =
      secondsField === undefined || [secondsField, 'at'].some((name) => !Number.isNaN(get(batch, row, name)));
    return hasTime
      ? undefined
      : new BadValue(secondsField, undefined, 'is required unless there is an access_time');
  };

  /** The error in a row that belongs to this view. */
  const viewFault = (batch: RowBatch, row: number, view: StoredView): BadValue | undefined => {
    const session = known(get(batch, row, 'session_id'));
    if (session !== undefined && session !== view.sessionId)
      return new BadValue('session_id', fileId(session), `is not the visit of page view ${view.pvId}`);
    const at = known(get(batch, row, 'at'));
    if (secondsField === undefined) return undefined;
    if (at === undefined)
      return view.at + get(batch, row, secondsField) < EARLIEST
        ? new BadValue(
            'pv_id',
            fileId(view.pvId),
            'is a page view from before 1970-01-02; correct its time first',
          )
        : undefined;
    if (at < view.at) return new BadValue('access_time', at, `is before the start of page view ${view.pvId}`);
    return at - view.at > largestOf('int4')
      ? new BadValue('access_time', at, `is too long after the start of page view ${view.pvId}`)
      : undefined;
  };

  /** Computes the fingerprint of a row, and fills in the values derived from its view. */
  const complete = (batch: RowBatch, row: number, view: StoredView, seeker: Seeker | undefined): void => {
    const given = get(batch, row, 'at');
    const seconds = secondsField === undefined ? Number.NaN : get(batch, row, secondsField);
    const elapsed = Number.isNaN(given) ? seconds : given - view.at;
    for (const [name, fallback] of fallbacks ?? [])
      if (Number.isNaN(get(batch, row, name))) set(batch, row, { [name]: fallback });
    if (secondsField !== undefined)
      set(batch, row, seeker ? { [secondsField]: Number.NaN } : { at: Number.NaN, [secondsField]: elapsed });
    set(batch, row, {
      found_session_id: seeker?.sessionId ?? Number.NaN,
      found_reader_id: seeker?.readerId ?? Number.NaN,
    });
    fingerprint(batch, row);
    set(batch, row, {
      at: Number.isNaN(given) ? view.at + elapsed : given,
      ...(secondsField === undefined ? {} : { [secondsField]: elapsed }),
      pv_id: view.pvId,
      view_at: view.at,
      session_id: view.sessionId,
      page_id: view.pageId,
      site_id: siteId,
      fingerprint: 1,
    });
  };

  return async (batch: RowBatch) => {
    const rows = placesOf(batch);
    const seekers = new Map(seekersOf(batch, rows).map((seeker) => [seeker.row, seeker]));
    const given = rows.filter((row) => !seekers.has(row));
    const pvIds = Float64Array.from(given, (row) => get(batch, row, 'pv_id'));
    const views = await findViews(client, siteId, pvIds);
    const valid = [...seekers.values()].filter((seeker) => lookUpFault(seeker) === undefined);
    const sought = await lookUpViews(client, siteId, valid);
    /** Rows whose view is not stored yet. */
    const early: number[] = [];
    const rejections: LateRejection[] = [];
    /** Rows that are complete. */
    const found = rows.filter((row) => {
      const seeker = seekers.get(row);
      const view = seeker === undefined ? views.get(get(batch, row, 'pv_id')) : sought.get(row);
      const fault = rowFault(batch, row, seeker) ?? (view && viewFault(batch, row, view));
      if (fault !== undefined) rejections.push({ row, fault });
      else if (view === undefined) early.push(row);
      else complete(batch, row, view, seeker);
      return view !== undefined && fault === undefined;
    });
    return { found, early, rejections };
  };
}
