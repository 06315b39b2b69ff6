import type { Column } from '../../../manifests/reader/manifest';
import type { QueryError } from '../errors/query-error';
import type { Contract } from '../types/contract';
import type { TimeRange } from '../types/periods';
import type { Scope } from '../types/resolved-query';

/** The context for binding the names of a query. It determines how errors are collected. */
export interface Binding {
  readonly contract: Contract;
  readonly zone: string;
  readonly range: TimeRange;
  readonly scope: Pick<Scope, 'all' | 'goals'>;
  /** The page view columns in this contract. */
  readonly viewColumns: ReadonlyMap<string, Pick<Column, 'feature'>>;
  /** Records an error with an unambiguous repair, so that binding continues with the repaired part. Throws any other error. */
  note(fault: QueryError): void;
  /** Binds a part. An error is thrown or, if all errors are collected, recorded; in that case, the part is left out. */
  attempt<Part>(bind: () => Part): Part | undefined;
  /** Looks for the meaning of a faulty part. Undefined if the search throws; the error is then reported without a hint. */
  meant<Meant>(look: () => Meant): Meant | undefined;
  /** The number of parts left out so far. Nothing that depends on them can be checked. */
  leftOut(): number;
}

/** Binds each item as a part, so that one error does not hide the others. */
export const eachOf = <Item, Part>(
  items: readonly Item[],
  binding: Binding,
  bind: (item: Item, index: number) => readonly Part[],
): readonly Part[] => items.flatMap((item, index) => binding.attempt(() => bind(item, index)) ?? []);
