// The context in which names are bound, and how their faults are collected.

import type { QueryError } from '../errors/query-error';
import type { Contract } from '../types/contract';
import type { TimeRange } from '../types/resolved-query';

export interface Binding {
  readonly contract: Contract;
  /** The time zone of the query. */
  readonly zone: string;
  /** The range of the query. */
  readonly range: TimeRange;
  /** Records a fault with a certain repair, so that binding continues with the repaired part; throws any other. */
  note(fault: QueryError): void;
  /** Binds a part. A fault throws, unless all faults are collected: then it is recorded, and the part left out. */
  attempt<Part>(bind: () => Part): Part | undefined;
  /** Looks for the meaning of a wrong part; undefined if the search throws, so that the plain fault is reported. */
  meant<Meant>(look: () => Meant): Meant | undefined;
  /** The number of parts left out so far; what depends on them cannot be checked. */
  leftOut(): number;
}
