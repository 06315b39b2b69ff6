// A step of a funnel, as it is stored.
import { z } from 'zod';
import { MAX_GOALS } from '../../../manifests/reader/schema';
import { strict } from '../../data/storage/field-faults';
import { plainText } from '../../data/storage/plain-text';
import type { FunnelStep } from '../shared-types/report-types';

export const MIN_STEPS = 2;
export const MAX_STEPS = 8;
const MAX_VALUE_LENGTH = 2_000;

export const PAGE_OPS = ['is', 'contains', 'prefix'] as const;

const pageStep = strict({
  kind: z.literal('page'),
  op: z.enum(PAGE_OPS),
  value: plainText(MAX_VALUE_LENGTH),
}).refine(({ op, value }) => op === 'contains' || !isPath(value) || !/[?#]/.test(value), {
  path: ['value'],
  message: 'is a path, which cannot contain “?” or “#”; enter the whole URL to compare those too',
});

const stepSchema: z.ZodType<FunnelStep> = z.discriminatedUnion('kind', [
  pageStep,
  strict({ kind: z.literal('event'), value: plainText(MAX_VALUE_LENGTH) }),
  strict({ kind: z.literal('goal'), goal: z.int().min(1).max(MAX_GOALS) }),
]);

export const funnelStepsSchema = z.array(stepSchema).min(MIN_STEPS).max(MAX_STEPS);

/** `/cart` is compared with a page's path, `https://shop.example/cart` with its URL. */
export const isPath = (value: string): boolean => value.startsWith('/');
