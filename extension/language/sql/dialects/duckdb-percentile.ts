// SQL for percentiles of whole numbers in DuckDB, multiplied by `share.in`. DuckDB interpolates doubles, which is several times as
// fast as sorting a list.
import type { Share } from '../../types/arithmetic';
import { integer, join, type Sql, sql } from '../sql';

/** `shares`: those of all percentiles of the column. */
export const wholePercentile = (column: Sql, share: Share, shares: readonly Share[]): Sql =>
  shares.every(isQuarter) ? quarterPercentile(column, share, shares) : anyPercentile(column, share, shares);

const isQuarter = (share: Share): boolean => (4 * share.of) % share.in === 0;

const placeOf = (share: Share): Sql => sql`(${integer(share.of)} / ${integer(share.in)})`;

/** Doubles represent the position, and all values that are interpolated there, exactly. */
function quarterPercentile(column: Sql, share: Share, shares: readonly Share[]): Sql {
  const listed = sql`quantile_cont(${column}, [${join(shares.map(placeOf))}])`;
  // A list with a single position takes a quarter longer than the position alone.
  const found =
    shares.length === 1
      ? sql`quantile_cont(${column}, ${placeOf(share)})`
      : sql`(${listed})[${integer(1 + shares.indexOf(share))}]`;
  const [least, greatest] = [sql`min(${column})`, sql`max(${column})`];
  const limit = Math.floor(2 ** 48 / share.in);
  const isBetween = sql`${least} > -${integer(limit)} and ${greatest} < ${integer(limit)}`;
  // DuckDB determines the type before it plans, so it does not compute the least and greatest of 32-bit numbers.
  const isSmall = limit < 2 ** 31 ? isBetween : sql`typeof(${least}) = 'INTEGER' or ${isBetween}`;
  const rounded = sql`round(${found} * ${integer(share.in)})::hugeint`;
  return sql`case when ${isSmall} then ${rounded} when ${least} is not null then error('inexact') end`;
}

/**
 * Two conditions limit the errors, so that rounding removes them:
 * - `isNear`: the error in the position is at most 2^-52 times the number of values. Multiplied by the distance between the values
 *   there, it is below 1/4.
 * - `isSmall`: the error in the interpolation is at most 3 * 2^-53 times |least| + |greatest|, which is below 3/16.
 * The error in the position is less than one value. A thousandth of over 3,000 values is at least three values, so the values within
 * a thousandth of the position include those on both sides of it.
 */
function anyPercentile(column: Sql, share: Share, shares: readonly Share[]): Sql {
  const places = shares.flatMap((one) => {
    const place = placeOf(one);
    return [sql`greatest(${place} - 0.001, 0)`, place, sql`least(${place} + 0.001, 1)`];
  });
  const middle = 4 + 3 * shares.indexOf(share);
  const near = (offset: -1 | 0 | 1) => sql`v[${integer(middle + offset)}]`;
  const count = sql`count(${column})`;
  const distance = sql`case when ${count} > 3000 then ${near(1)} - ${near(-1)} else v[2] - v[1] end`;
  const isNear = sql`(${distance}) * ${count} * ${integer(share.in)} < ${integer(2 ** 50)}`;
  const isSmall = sql`(abs(v[1]) + abs(v[2])) * ${integer(share.in)} < ${integer(2 ** 49)}`;
  const rounded = sql`round(${near(0)} * ${integer(share.in)})::hugeint`;
  const checked = sql`case when ${isNear} and ${isSmall} then ${rounded} when ${count} > 0 then error('inexact') end`;
  // DuckDB computes identical aggregates only once, so all percentiles of a column share one that has all their positions.
  // The lambda reads its result several times without repeating its SQL.
  return sql`list_transform([quantile_cont(${column}, [0, 1, ${join(places)}])], lambda v: ${checked})[1]`;
}
