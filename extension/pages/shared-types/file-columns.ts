// The response of the `import-columns` route.

export interface ColumnFault {
  readonly message: string;
  readonly column?: string | null;
  /** An affected value, and its line. */
  readonly value?: string | null;
  readonly line?: number;
  /** How many of the first rows have this error. */
  readonly rows?: number;
}

export interface FileColumns {
  /** null if no rows can be read from the file. */
  readonly format: string | null;
  readonly about?: string;
  /** Absent if the delimiter is a comma. */
  readonly delimiter?: string;
  /** Only for files whose columns the user can choose. */
  readonly columns?: readonly {
    readonly name: string;
    readonly samples: readonly string[];
    readonly to: string;
  }[];
  readonly targets?: readonly { readonly value: string; readonly label: string; readonly about?: string }[];
  /** The value for the parameter `map`. */
  readonly map?: string;
  /** The zone in which times are read, if they have no offset and no zone was given. */
  readonly timezone?: string;
  readonly faults: readonly ColumnFault[];
  readonly command?: string;
}
