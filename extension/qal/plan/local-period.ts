// Owns which values are the local day or month of a time.

import type { ColumnType } from '../../../manifests/reader/schema';
import type { LocalClock } from '../../time/local-clock';
import type { Expression } from '../types/plan';

const UNITS = { date: { unit: 'day', type: 'date' }, month: { unit: 'month', type: 'text' } } as const;

interface LocalPeriod {
  /** The time. */
  readonly column: string;
  readonly clock: LocalClock;
  readonly unit: 'day' | 'month';
  /** What such days or months are written as. */
  readonly type: ColumnType;
}

/** The day or month that a value is; undefined where it is none, or one that is stored and follows no clock. */
export function localPeriodOf(value: Expression | undefined): LocalPeriod | undefined {
  if (value?.kind !== 'time-part' || value.clock === null) return undefined;
  const { part, column, clock } = value;
  return part === 'date' || part === 'month' ? { column, clock, ...UNITS[part] } : undefined;
}
