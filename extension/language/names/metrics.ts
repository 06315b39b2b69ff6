// Metric names in other products.
import { fold } from './by-word';

const COUNTS =
  /^(?:total|active|unique)?(?:(?:screen)?(?:page)?views?|hits?|visits?|sessions?|visitors?|users?|uniques)(?:per(?:visit|session))?$/;

/** The hint for a metric from another product: views, visits, visitors, bounces, or the duration of visits. */
export function metricHint(name: string): 'metric' | 'bounces' | 'duration' | undefined {
  const folded = fold(name);
  if (/^(?:avg|average|total)?(?:session|visit)(?:duration|length|time)$/.test(folded)) return 'duration';
  if (folded === 'bouncerate') return 'bounces';
  return COUNTS.test(folded) ? 'metric' : undefined;
}
