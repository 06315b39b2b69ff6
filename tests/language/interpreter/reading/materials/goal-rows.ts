// Rows of goal_N: for each session that converted, the first view that triggers the goal.
import { localText } from '../local-clock';
import type { PageView, Tables } from '../tables';
import { isWithin, type Period, type PlacedRow } from './period';
import { viewValues } from './view-values';

/** A goal's conversions on views in the period, numbered in chronological order. */
export function goalRows(goal: number, tables: Tables, period: Period): readonly PlacedRow[] {
  return tables.conversion
    .filter((it) => it.goal_no === goal && isWithin(it, period))
    .sort((a, b) => a.at - b.at || a.pv_id - b.pv_id)
    .flatMap((conversion, index) => {
      const hasSameView = (it: { readonly site_id: number; readonly pv_id: number }): boolean =>
        it.site_id === conversion.site_id && it.pv_id === conversion.pv_id;
      const view = tables.page_view.find(hasSameView);
      if (view === undefined) return [];
      const values = viewValues(view, tables, period.tz);
      const version = tables.page_version.find(
        (it) => it.site_id === view.site_id && it.version_id === view.version_id,
      );
      return [
        {
          site: view.site_id,
          place: [view.at, view.pv_id],
          values: {
            ...values,
            session_index: index,
            pv_index: view.pv - 1,
            UAos: values.os ?? null,
            UAbrowser: values.browser ?? null,
            is_reject: 0,
            session_no: sessionNumber(view, tables, period.tz),
            is_raw_p: Number(view.depth_position !== null),
            is_raw_c: Number(tables.click.some(hasSameView)),
            is_raw_e: Number(tables.event.some(hasSameView)),
            version_no: version?.version_no ?? null,
          },
        },
      ];
    });
}

/** The number of sessions that the visitor had on the view's local day, up to the time of the view. */
function sessionNumber(view: PageView, { page_view }: Tables, tz: string): number {
  const day = (at: number): string => localText(at, tz).slice(0, 10);
  const seen = page_view.filter(
    (it) =>
      it.site_id === view.site_id &&
      it.reader_id === view.reader_id &&
      it.at <= view.at &&
      day(it.at) === day(view.at),
  );
  return new Set(seen.map((it) => it.session_id)).size;
}
