// A step of a funnel, as it is stored.
import { z } from 'zod';
import { MOST_GOALS } from '../../../manifests/reader/schema';
import { strict } from '../../data/storage/field-faults';
import { plainText } from '../../data/storage/plain-text';
import type { FunnelStep } from '../shared-types/report-types';

export const LEAST_STEPS = 2;
export const MOST_STEPS = 8;
const LONGEST_VALUE = 2_000;

export const PAGE_OPS = ['is', 'contains', 'prefix'] as const;

const pageStep = strict({
  kind: z.literal('page'),
  op: z.enum(PAGE_OPS),
  value: plainText(LONGEST_VALUE),
}).refine(({ op, value }) => op === 'contains' || !isPath(value) || !/[?#]/.test(value), {
  path: ['value'],
  message: 'is a path, which has no “?” and no “#”; enter the whole URL to compare them too',
});

const stepSchema: z.ZodType<FunnelStep> = z.discriminatedUnion('kind', [
  pageStep,
  strict({ kind: z.literal('event'), value: plainText(LONGEST_VALUE) }),
  strict({ kind: z.literal('goal'), goal: z.int().min(1).max(MOST_GOALS) }),
]);

export const funnelStepsSchema = z.array(stepSchema).min(LEAST_STEPS).max(MOST_STEPS);

/** `/cart` is compared with a page's path, `https://shop.example/cart` with its URL. */
export const isPath = (value: string): boolean => value.startsWith('/');
