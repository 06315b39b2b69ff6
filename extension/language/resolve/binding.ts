// What names are bound under, and where faults go whose repair is certain.

import type { QueryError } from '../errors/query-error';
import type { Contract } from '../types/contract';
import type { TimeRange } from '../types/resolved-query';

export interface Binding {
  readonly contract: Contract;
  /** The time zone of the query. */
  readonly zone: string;
  /** The range of the query. */
  readonly range: TimeRange;
  /** Notes a fault that is certainly mended, so that what was meant is bound instead; throws any other. */
  note(fault: QueryError): void;
  /** Binds a part. A fault throws, unless all faults are wanted: then it is noted, and the part left out. */
  attempt<Part>(bind: () => Part): Part | undefined;
  /** What something wrong means; undefined where looking for it fails, so that the plain fault is thrown. */
  meant<Meant>(look: () => Meant): Meant | undefined;
  /** How many parts were left out so far: what depends on them cannot be judged. */
  leftOut(): number;
}
