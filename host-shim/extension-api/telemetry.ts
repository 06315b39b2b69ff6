/** Each label has few possible values, which come from our own tables, never from a client. */
type Labels<Name extends string> = Readonly<Record<Name, string>>;

export interface Metric<Label extends string = string> {
  /** Follows Prometheus naming: `qal_queries_total`, `qal_query_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

export interface Sample<Label extends string> {
  readonly labels: Labels<Label>;
  readonly value: number;
}

export const unlabeled = (name: string, help: string): Metric<never> => ({ name, help, labels: [] });

/** The sample of a metric without labels; none if the value is unknown. */
export const unlabeledSample = (value: number | undefined): readonly Sample<never>[] =>
  value === undefined ? [] : [{ labels: {}, value }];

export interface Span {
  /** Never pass a string from a client. */
  note(attributes: Readonly<Record<string, string | number>>): void;
}

/** Does nothing unless metrics or traces are enabled. */
export interface Telemetry {
  count<Label extends string>(metric: Metric<Label>, labels: Labels<Label>): void;
  observe<Label extends string>(metric: Metric<Label>, labels: Labels<Label>, seconds: number): void;
  /** Registers the function that reads a gauge at each scrape, replacing an earlier one. */
  gauge<Label extends string>(
    metric: Metric<Label>,
    read: () => readonly Sample<Label>[] | Promise<readonly Sample<Label>[]>,
  ): void;
  /** Runs `work` in a child span of the current one. */
  inSpan<Result>(name: string, work: (span: Span) => Promise<Result>): Promise<Result>;
}

export const NO_TELEMETRY: Telemetry = {
  count() {},
  observe() {},
  gauge() {},
  inSpan: (_name, work) => work({ note() {} }),
};
