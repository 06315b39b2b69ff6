// Owns what becomes of a statement whose plan relied on data that changed before it began.
// It is planned again from what is known then; a site that changes all the time is answered from its rows in the end.
import type { QueryContext } from '../types/query-context';

/** SQLSTATE of `analytics.sites_of_versions`: a site is not of the version that the plan was made for. */
export const DATA_CHANGED_STATE = 'QALV1';

const MOST_REPEATS = 3;

/** The statement gave nothing: the data of a site changed after its state was read. */
export class DataChanged extends Error {
  override readonly name = 'DataChanged';
}

/**
 * Runs the work again while it ends in DataChanged, the last time with a context without kept counts, which nothing can
 * overtake. The work reads the states of its sites anew each time, unless the first finds them in its context.
 */
export async function whileCurrent<Result>(
  context: QueryContext,
  work: (context: QueryContext) => Promise<Result>,
): Promise<Result> {
  let asked = context;
  for (let repeats = 0; repeats <= MOST_REPEATS; repeats++) {
    try {
      return await work(asked);
    } catch (error) {
      if (!(error instanceof DataChanged)) throw error;
      asked = { ...context, siteAhead: undefined };
    }
  }
  return work({ ...asked, rollups: false });
}
