// The response of the route import-columns.

export interface ColumnFault {
  readonly message: string;
  readonly column?: string | null;
  /** An affected value, and its line. */
  readonly value?: string | null;
  readonly line?: number;
  /** How many of the first rows have it. */
  readonly rows?: number;
}

export interface FileColumns {
  /** null if the file cannot become rows. */
  readonly format: string | null;
  readonly about?: string;
  /** Absent for a comma. */
  readonly delimiter?: string;
  /** Only for files whose columns the user can choose. */
  readonly columns?: readonly {
    readonly name: string;
    readonly samples: readonly string[];
    readonly to: string;
  }[];
  readonly targets?: readonly { readonly value: string; readonly label: string; readonly about?: string }[];
  /** The pairs of the parameter `map`. */
  readonly map?: string;
  /** If times have no offset and no zone was given: the zone that they are read in. */
  readonly timezone?: string;
  readonly faults: readonly ColumnFault[];
  readonly command?: string;
}
