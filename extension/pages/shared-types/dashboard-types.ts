// Types shared by the dashboard's page, route and script.
import type { Compared } from './filter-kinds';

export type Unit = 'count' | 'percent' | 'seconds' | 'milliseconds' | 'decimal';

export interface MeasureInfo {
  readonly column: string;
  readonly label: string;
  readonly unit: Unit;
}

/** A figure that the chart can draw. */
export interface CardInfo extends MeasureInfo {
  /** The id of the figure whose query returns this number: see `figuresOf`. */
  readonly figure: string;
  /** Additional information, shown on hover. */
  readonly about: string;
  /** True if smaller is better. */
  readonly lessIsBetter: boolean;
}

export interface TabInfo {
  readonly id: string;
  readonly title: string;
  /** Columns that name a row; a second one is shown in small print. */
  readonly names: readonly string[];
  /** The dimension that a click on a row filters by; null if rows cannot be used as filters. */
  readonly dimension: string | null;
  /** The first measure determines the order of the rows and the bars. */
  readonly measures: readonly MeasureInfo[];
  /** The column of the card whose total is 100% for the first measure's shares; null if no shares are shown. */
  readonly shareOf: string | null;
  /** Shown if a name is missing. */
  readonly nameless: string;
  readonly about: string;
  /** `map` draws the rows as a map, `goals` turns the columns of a figure into rows. */
  readonly kind: 'list' | 'map' | 'goals';
}

export interface PanelInfo {
  readonly id: string;
  readonly title: string;
  /** What data is missing if the panel is empty. The panel is then replaced by a link to a page that explains how to add it. */
  readonly missing?: string;
  readonly tabs: readonly TabInfo[];
}

/** Written into the page by the template. */
export interface SiteInfo {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly route: string;
  /** The period if the URL has none. */
  readonly period: string;
  /** Only for logged-in users; null on a shared page. */
  readonly own: {
    /** null for users who may not run queries. */
    readonly playground: string | null;
    /** The page with the feature switches, for users who may change them. */
    readonly features: string | null;
    /** The route for saved segments. */
    readonly segments: string;
    /** The route for notes; null for users who may not change them. */
    readonly notes: string | null;
    /** The page for the country database, for users who may upload one. */
    readonly geoip: string | null;
  } | null;
}

export interface DashboardInfo extends SiteInfo {
  readonly cards: readonly CardInfo[];
  readonly panels: readonly PanelInfo[];
  /** Maximum number of rows that a list's panel shows. */
  readonly rows: number;
}

/** Dimensions with special values: goal numbers, and JSON such as `["play", "video", "intro"]`. */
export const GOAL = 'goal';
export const PARAMETER = 'parameter';

export interface RequestedFilter extends Compared {
  readonly dimension: string;
  /** null matches rows without a value. */
  readonly values: readonly (string | null)[];
}

/** The segment that a shared link is limited to. */
export interface PinnedSegment {
  readonly name: string;
  readonly filters: readonly RequestedFilter[];
}

/**
 * The dimensions that someone who opens a link cannot filter by if this filter limits the link. Filtering by entry or exit page
 * would reveal pages that the link hides.
 */
export const fixedBy = ({ dimension }: Pick<RequestedFilter, 'dimension'>): readonly string[] =>
  dimension === 'page' ? ['page', 'entry', 'exit'] : [dimension];

/** A figure, or rows of a list. */
export interface RequestedPart {
  /** `total` or `series` and a figure's id, such as `total visits`, optionally followed by ` before`; or the id of a tab. */
  readonly id: string;
  /** Only rows whose name contains this string. */
  readonly search?: string;
  /** Only rows with one of these names. */
  readonly names?: readonly string[];
  readonly limit?: number;
  /** Number of rows to skip. */
  readonly offset?: number;
  /** The previous page's version; it is an error if the version has changed since. */
  readonly version?: string;
  /** For the tab `parameter`. */
  readonly event?: string;
  readonly parameter?: string;
}

/** Request body of the route. */
export interface RequestedDashboard extends RequestedView {
  /** Omitted on shared pages, each of which is for one site. */
  readonly site?: string;
  readonly parts: readonly RequestedPart[];
  /** Whether to return the complete list as CSV, which requires exactly one part. */
  readonly file?: boolean;
}

/** The parameters of the URL, except the site. */
export interface RequestedView {
  readonly period: string;
  /** YYYY-MM-DD, for the period `custom`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly compare: string;
  /** YYYY-MM-DD, for the comparison `custom`. */
  readonly compare_from?: string | undefined;
  readonly compare_to?: string | undefined;
  /** The chart's step. The default depends on the range. */
  readonly by?: string | undefined;
  readonly filters: readonly RequestedFilter[];
}

/** The parts `now 5` and `now 30` count visitors in the last 5 and 30 minutes. */
export const NOW_MINUTES = [5, 30] as const;

export type Step = 'hour' | 'day' | 'week' | 'month';

/**
 * The first line of a response. A second head means that the data has changed: the parts before it are outdated and are sent
 * again.
 */
export interface DashboardHead {
  /** `data_version` of all queries. */
  readonly version: string;
  readonly site: { readonly trackingId: string; readonly name: string; readonly timezone: string };
  /** YYYY-MM-DD, in the site's time zone. */
  readonly range: DayRange;
  readonly before: DayRange | null;
  readonly unfinished: boolean;
  /** Whether an unfinished range is compared with the same hours of `before`. */
  readonly sameHours: boolean;
  readonly step: Step;
  readonly steps: readonly Step[];
  readonly chart: ChartPoints;
  readonly chartBefore: EarlierPoints | null;
  /** First and last day with page views. */
  readonly data: DayRange | null;
  /** Seconds since the newest page view; null if there is none. */
  readonly newest: number | null;
  /** Why `range` and `before` cannot be compared: one of them has days before the first or after the last day with data. */
  readonly missing: 'before' | 'after' | null;
  readonly goals: readonly { readonly id: number; readonly name: string }[];
  /** Whether lists have pages and downloads: both features can be switched off. */
  readonly canPage: boolean;
  readonly canSave: boolean;
  /** The type of each parameter's values, by event and parameter. */
  readonly events: Readonly<Record<string, Readonly<Record<string, 'string' | 'number'>>>>;
  readonly pinned?: PinnedSegment;
  /** Notes on days in the range; omitted for shared links. */
  readonly notes?: readonly Note[];
}

export const MAX_NOTE_LENGTH = 300;

/** A note on one of a site's days. */
export interface Note {
  readonly id: number;
  /** In the site's time zone, YYYY-MM-DD. */
  readonly day: string;
  readonly text: string;
  /** Incremented by every change. */
  readonly revision: number;
}

export interface ChartPoints {
  /** `2026-11-22`, `2026-11-22 13`, the Monday of a week, or `2026-11`. */
  readonly points: readonly string[];
  /** Indexes of incomplete points. */
  readonly partial: readonly number[];
  /** The index of the first point that can have data, and the index after the last one; other points are gaps. */
  readonly known: readonly [from: number, until: number];
}

/** Points for the first days of the earlier period; no more than `chart` has. */
interface EarlierPoints extends ChartPoints {
  readonly days: DayRange;
}

export interface DayRange {
  readonly first: string;
  readonly last: string;
}

/** The error code for a part to which a link's segment cannot be applied. */
export const BEYOND_LINK = 'beyond_link';

export interface PartAnswer {
  readonly id: string;
  /** The POST /query body that returns these rows. */
  readonly query: object;
  /** Dimensions of filters that the dataset does not support. */
  readonly unfiltered: readonly string[];
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly (string | number | null)[])[];
  /** Whether more rows follow. */
  readonly more?: boolean;
  /** Total number of rows, for requests with an offset. */
  readonly total?: number;
  /** For requests with an offset: the `version` to send when requesting the next page. */
  readonly version?: string;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string | undefined;
    /** The feature that is switched off. */
    readonly feature?: string | undefined;
  };
}
