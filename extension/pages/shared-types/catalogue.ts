// The response of GET catalogue: everything that a query about a site can contain.

export interface CatalogueColumn {
  readonly name: string;
  /** id, int, num, flag, text, datetime or date. */
  readonly type: string;
  readonly about: string;
  /** All possible values, if they are known. */
  readonly values?: readonly string[];
}

export interface CatalogueMaterial {
  readonly name: string;
  /** What a row represents. */
  readonly about: string;
  readonly columns: readonly CatalogueColumn[];
  readonly join: readonly string[];
}

/** A calc function or a filter operator. */
interface CatalogueWord {
  readonly name: string;
  readonly about: string;
  /** Column types that it accepts. */
  readonly types: readonly string[];
}

export interface Catalogue {
  readonly tracking_id: string;
  readonly timezone: string;
  /** Local days of the first and last page views; null if there are none. */
  readonly first_day: string | null;
  readonly last_day: string | null;
  /** Whether tracking_id may be "all". */
  readonly all_sites: boolean;
  readonly materials: readonly CatalogueMaterial[];
  readonly goals: readonly { readonly id: number; readonly name: string; readonly material: string }[];
  readonly functions: readonly CatalogueWord[];
  readonly operators: readonly CatalogueWord[];
  readonly examples: readonly { readonly title: string; readonly query: object }[];
  /** JSON Schema of a query: each clause's keys and fixed values. */
  readonly schema: object;
}

export interface CatalogueSite {
  readonly tracking_id: string;
  readonly name: string;
}
