// What the dashboard's page, its route and its script tell each other.

export type Unit = 'count' | 'percent' | 'seconds' | 'milliseconds' | 'decimal';

export interface MeasureInfo {
  /** Column of the answer. */
  readonly column: string;
  readonly label: string;
  readonly unit: Unit;
}

/** One of the big numbers, which the chart can draw. */
export interface CardInfo extends MeasureInfo {
  /** The query that answers it: see FIGURES. */
  readonly figure: string;
  /** What the label does not say. */
  readonly about: string;
  /** True where a smaller number is the better one. */
  readonly lessIsBetter: boolean;
}

export interface TabInfo {
  readonly id: string;
  readonly title: string;
  /** The columns that name a row; a second one stands small below the first. */
  readonly names: readonly string[];
  /** What a click on a row filters by; null where it does not filter. */
  readonly dimension: string | null;
  /** The first one orders the rows and draws the bars. */
  readonly measures: readonly MeasureInfo[];
  /** Card whose number is the whole that the first measure is a share of. */
  readonly shareOf: string | null;
  /** Stands for a missing name. */
  readonly nameless: string;
  readonly about: string;
  /** `map` draws the rows as a map, `goals` turns the columns of a figure into rows. */
  readonly kind: 'list' | 'map' | 'goals';
}

export interface PanelInfo {
  readonly id: string;
  readonly title: string;
  readonly tabs: readonly TabInfo[];
}

/** As the template writes it into the page. */
export interface DashboardInfo {
  readonly cards: readonly CardInfo[];
  readonly panels: readonly PanelInfo[];
  readonly dimensions: Readonly<Record<string, string>>;
  /** Route of the questions, relative to the REST root. */
  readonly route: string;
  /** Rows of a list in its panel. */
  readonly rows: number;
  /** What only somebody who is logged in has; null on a shared page. */
  readonly own: {
    readonly playground: string;
    /** The page of the feature switches, for those who may set them. */
    readonly features: string | null;
  } | null;
}

export interface AskedFilter {
  readonly dimension: string;
  /** True: none of the values. */
  readonly not: boolean;
  /** null finds rows without a value. */
  readonly values: readonly (string | null)[];
}

/** What to answer: a figure, or some rows of a list. */
export interface AskedPart {
  /** `total visits`, `series visits`, each also with `before` at its end, or the id of a tab. */
  readonly id: string;
  /** Rows whose name has this text. */
  readonly search?: string;
  /** Rows with one of these names. */
  readonly names?: readonly string[];
  readonly limit?: number;
  /** Rows before these. */
  readonly offset?: number;
  /** Of the page before: rows of other data are refused. */
  readonly version?: string;
  /** Of the tab `parameter`. */
  readonly event?: string;
  readonly parameter?: string;
}

/** Body of the route. */
export interface AskedDashboard extends AskedView {
  /** Left out with a link, which is of one site. */
  readonly site?: string;
  readonly parts: readonly AskedPart[];
  /** The whole list of the only part, as CSV. */
  readonly file?: boolean;
}

/** What is looked at: the part of the address after the site. */
export interface AskedView {
  readonly period: string;
  /** YYYY-MM-DD, of the period `custom`. */
  readonly from?: string;
  readonly to?: string;
  readonly compare: string;
  /** Length of the steps of the chart; chosen by the length of the range where it is left out. */
  readonly by?: string;
  readonly filters: readonly AskedFilter[];
}

export type Step = 'hour' | 'day' | 'week' | 'month';

/** The first line of an answer. Another one says that the data have changed: the parts before it are no longer true, and come again. */
export interface DashboardHead {
  /** Of the data of all parts: `data_version` of their queries. */
  readonly version: string;
  readonly site: { readonly trackingId: string; readonly name: string; readonly timezone: string };
  /** First and last day, YYYY-MM-DD, in the time zone of the site. */
  readonly range: DayRange;
  readonly before: DayRange | null;
  /** Whether the range contains the present day. */
  readonly unfinished: boolean;
  readonly step: Step;
  /** The steps that this range can be drawn in. */
  readonly steps: readonly Step[];
  readonly chart: ChartPoints;
  readonly chartBefore: ChartPoints | null;
  /** First and last day with page views. */
  readonly data: DayRange | null;
  /** Why `range` and `before` cannot be compared: days before the first or after the last one with data; null if they can. */
  readonly missing: 'before' | 'after' | null;
  readonly goals: readonly { readonly id: number; readonly name: string }[];
  /** Whether lists can be read page by page, and saved as files: both are features that can be off. */
  readonly canPage: boolean;
  readonly canSave: boolean;
  /** Event -> its parameters. */
  readonly events: Readonly<Record<string, readonly string[]>>;
}

export interface ChartPoints {
  /** `2026-11-22`, `2026-11-22 13`, the Monday of a week, or `2026-11`. */
  readonly points: readonly string[];
  /** Places of the points that the range, the data or the present cuts. */
  readonly partial: readonly number[];
  /** Place of the first point that data can be of, and the place after the last one: others are gaps. */
  readonly known: readonly [from: number, until: number];
}

export interface DayRange {
  readonly first: string;
  readonly last: string;
}

/** Every further line of an answer. */
export interface PartAnswer {
  /** As it was asked. */
  readonly id: string;
  /** The body of POST /query that gives these rows. */
  readonly query: object;
  /** Dimensions of filters that these rows know nothing of. */
  readonly unfiltered: readonly string[];
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly (string | number | null)[])[];
  /** Whether there are rows after these. */
  readonly more?: boolean;
  /** Rows of the whole list, where it was asked for with an offset. */
  readonly total?: number;
  /** Of rows that were asked for with an offset: `version` of the next ones. */
  readonly version?: string;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    /** The one that is switched off. */
    readonly feature?: string;
  };
}
