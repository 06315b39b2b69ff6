// What came back from the REST interface. Types only.

export interface RestAnswer {
  readonly status: number;
  /** The parsed JSON; undefined when the body is none. */
  readonly body: unknown;
}
