// Names of metrics in other products.
import { fold } from './by-word';

const COUNTS =
  /^(?:total|active|unique)?(?:(?:screen)?(?:page)?views?|hits?|visits?|sessions?|visitors?|users?|uniques)(?:per(?:visit|session))?$/;

/** The hint for a metric of another product: which calcs count views, visits and visitors, and what a bounce is. */
export function metricHint(name: string): 'metric' | 'bounces' | undefined {
  const folded = fold(name);
  if (folded === 'bouncerate') return 'bounces';
  return COUNTS.test(folded) ? 'metric' : undefined;
}
