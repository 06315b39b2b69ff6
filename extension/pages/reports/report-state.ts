import type { Period } from './report-period';

/** After the last attempt, nothing is sent until the next period. */
export const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 5 * 60_000;

export interface ReportState {
  /** The first day of the newest period whose report was sent or given up on, as YYYY-MM-DD. */
  readonly covered: string;
  readonly nextAt: Date;
  readonly attempts: number;
  readonly sentAt: Date | null;
  readonly fault: string | null;
}

export type ReportEvent =
  /**
   * `begun` is treated as a failed attempt until `sent` follows, so that the report is sent later if this server is killed. `skipped`:
   * the period is already covered, because the site's time zone has changed.
   */
  | { readonly kind: 'begun' | 'sent' | 'skipped' | 'tested'; readonly period: Period }
  /** Without a period: a test, which does not change the schedule. */
  | { readonly kind: 'failed'; readonly fault: string; readonly period?: Period };

/** The fields that the event changes. */
export function changeBy(
  event: ReportEvent,
  { attempts }: Pick<ReportState, 'attempts'>,
  now: Date,
): Partial<ReportState> {
  switch (event.kind) {
    case 'begun':
      return { attempts: attempts + 1, nextAt: new Date(now.getTime() + FIRST_PAUSE_MS * 2 ** attempts) };
    case 'skipped':
      return untilNext(event.period);
    case 'sent':
      return { sentAt: now, fault: null, ...untilNext(event.period) };
    case 'tested':
      return { sentAt: now, fault: null };
    case 'failed':
      return {
        fault: event.fault,
        ...(event.period !== undefined && attempts >= MAX_ATTEMPTS && untilNext(event.period)),
      };
  }
}

const untilNext = ({ range, nextAt }: Period) => ({ covered: range.first, attempts: 0, nextAt });
