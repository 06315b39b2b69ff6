// What programs outside see of an installation: numbers for Prometheus, spans for OpenTelemetry.

/** The labels of a metric, each with few values: names from tables of ours, never texts of a caller. */
type Labels<Name extends string> = Readonly<Record<Name, string>>;

export interface Metric<Label extends string = string> {
  /** By the rules of Prometheus: `qal_queries_total`, `qal_query_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

export interface Sample<Label extends string> {
  readonly labels: Labels<Label>;
  readonly value: number;
}

export interface Span {
  /** Numbers and words of ours; no values of a caller. */
  note(attributes: Readonly<Record<string, string | number>>): void;
}

/** Does nothing unless metrics or traces are enabled. */
export interface Telemetry {
  /** Adds one to a counter. */
  count<Label extends string>(metric: Metric<Label>, labels: Labels<Label>): void;
  /** Adds a duration to a histogram. */
  observe<Label extends string>(metric: Metric<Label>, labels: Labels<Label>, seconds: number): void;
  /** Reads a gauge whenever somebody looks; it takes the place of the reader that it had before. */
  gauge<Label extends string>(
    metric: Metric<Label>,
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void;
  /** Does a part of the work for a request, as a span below the one under way. */
  inSpan<Result>(name: string, work: (span: Span) => Promise<Result>): Promise<Result>;
}

export const NO_TELEMETRY: Telemetry = {
  count() {},
  observe() {},
  gauge() {},
  inSpan: (_name, work) => work({ note() {} }),
};
