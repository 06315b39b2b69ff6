// Lists all limits, each with its maximum, what happens beyond it, and the settings that change it.
import type { Manifest } from '../../manifests/reader/manifest';
import type { Limit } from './limit';
import { callerLimits, requestLimits } from './limits-of-callers';
import { importLimits, recordLimits, siteLimits } from './limits-of-data';
import { answerLimits, queryLimits, resourceLimits, timeLimits } from './limits-of-queries';

interface LimitGroup {
  readonly title: string;
  readonly limits: readonly Limit[];
}

export const limitGroups = (manifest: Manifest): readonly LimitGroup[] => [
  { title: 'Queries', limits: queryLimits(manifest) },
  { title: 'Answers', limits: answerLimits(manifest) },
  { title: 'Time and concurrency', limits: timeLimits() },
  { title: 'Memory and disk', limits: resourceLimits() },
  { title: 'Imports', limits: importLimits() },
  { title: 'Sites and goals', limits: siteLimits() },
  { title: 'Callers', limits: callerLimits() },
  { title: 'HTTP', limits: requestLimits() },
  { title: 'Records', limits: recordLimits() },
];
