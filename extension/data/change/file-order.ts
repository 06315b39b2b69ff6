// The order of a file's lines within a second. New views are numbered in that order, but a view that an earlier import stored
// keeps its lower number, so new views from lines before that view get even lower numbers.
import { isGenerated } from '../rows/generated-ids';
import { type RowBatch, valueAt } from '../rows/row-batch';
import { noSpan, widen } from './piece';
import type { StagedViews } from './staged-views';

export function fileOrder(fields: { readonly pv_id: number; readonly at: number }) {
  let first: number | undefined;
  let next = 0;
  let times = noSpan();
  let matched: [pvId: number, first: number, next: number][] = [];
  return {
    /** Records a batch's views without a given id: new ones with their new ids, and stored ones. */
    note(batch: RowBatch, fresh: Uint32Array, stored: Uint32Array): void {
      let place = 0;
      const passNewBefore = (row: number): void => {
        for (let one = fresh[place]; one !== undefined && one < row; place += 1, one = fresh[place]) {
          const id = valueAt(batch, one, fields.pv_id);
          if (!isGenerated(id)) continue;
          first ??= id;
          next = id + 1;
          widen(times, valueAt(batch, one, fields.at));
        }
      };
      for (const row of stored) {
        passNewBefore(row);
        const [id, time] = [valueAt(batch, row, fields.pv_id), valueAt(batch, row, fields.at)];
        if (first !== undefined && isGenerated(id) && id < first)
          if (time >= times.low && time <= times.high) matched.push([id, first, next]);
      }
      passNewBefore(batch.end);
    },
    nextFile(): void {
      first = undefined;
      times = noSpan();
    },
    /** The number of stored views that new ones may have to precede. */
    size: () => matched.length,
    /** Puts the new views in order; all of them must already be stored. */
    async keep(views: StagedViews): Promise<void> {
      if (matched.length === 0) return;
      await views.keepOrder([0, 1, 2].map((column) => matched.map((one) => one[column] ?? 0)));
      matched = [];
      await views.apply();
    },
  };
}
