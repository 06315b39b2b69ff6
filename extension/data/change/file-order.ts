// The order of a file's lines within a second. New views are numbered in that order, but a view that an earlier import stored keeps its
// lower number, so new views from the lines before it get an even lower one.
import type { ClientBase } from 'pg';
import { FIRST_GENERATED_ID } from '../rows/generated-ids';
import type { RowBatch } from '../rows/row-batch';
import { noSpan, widen } from './piece';
import { runStep } from './steps';

interface FileOrder {
  /** Notes a batch's views without a given id: new ones with their new ids, and stored ones. */
  note(batch: RowBatch, fresh: Uint32Array, stored: Uint32Array): void;
  nextFile(): void;
  /** The number of stored views that new ones may have to precede. */
  size(): number;
  /** Puts the new views in order; all of them must already be stored. Returns whether any were moved; `touched` records these. */
  keep(client: ClientBase, siteId: number): Promise<boolean>;
}

export function fileOrder(at: { readonly id: number; readonly time: number }): FileOrder {
  let first: number | undefined;
  let next = 0;
  let times = noSpan();
  let met: [pvId: number, first: number, next: number][] = [];
  return {
    note(batch, fresh, stored) {
      const value = (row: number | undefined, field: number) =>
        row === undefined ? Number.NaN : (batch.values[row * batch.shape.width + field] ?? Number.NaN);
      let place = 0;
      const passNewBefore = (row: number): void => {
        for (; (fresh[place] ?? Number.POSITIVE_INFINITY) < row; place += 1) {
          const id = value(fresh[place], at.id);
          if (id < FIRST_GENERATED_ID) continue;
          first ??= id;
          next = id + 1;
          widen(times, value(fresh[place], at.time));
        }
      };
      for (const row of stored) {
        passNewBefore(row);
        const [id, time] = [value(row, at.id), value(row, at.time)];
        if (first !== undefined && id >= FIRST_GENERATED_ID && id < first)
          if (time >= times.low && time <= times.high) met.push([id, first, next]);
      }
      passNewBefore(batch.end);
    },
    nextFile() {
      first = undefined;
      times = noSpan();
    },
    size: () => met.length,
    async keep(client, siteId) {
      if (met.length === 0) return false;
      const columns = [0, 1, 2].map((column) => met.map((one) => one[column]));
      met = [];
      const [moved = 0] = await runStep(client, 'keep-order', [siteId, ...columns]);
      return moved > 0;
    },
  };
}
