// Types shared by the funnels and retention pages and their scripts.
import type { ChartPoints, DashboardHead, SiteInfo } from './dashboard-types';

export type FunnelStep =
  | { readonly kind: 'page'; readonly op: 'is' | 'contains' | 'prefix'; readonly value: string }
  | { readonly kind: 'event'; readonly value: string }
  | { readonly kind: 'goal'; readonly goal: number };

export interface ReportInfo extends SiteInfo {
  /** The address of the page for editing what is shown; null for users who may not edit it. */
  readonly edit: string | null;
}

export interface FunnelsHead extends DashboardHead {
  readonly funnels: readonly {
    readonly id: number;
    readonly name: string;
    readonly steps: readonly FunnelStep[];
    readonly words: readonly string[];
  }[];
}

export type CohortStep = 'week' | 'month';

export interface RetentionHead extends DashboardHead {
  readonly cohorts: {
    readonly step: CohortStep;
    /** The steps that the range allows. */
    readonly steps: readonly CohortStep[];
    readonly points: ChartPoints;
  };
}
