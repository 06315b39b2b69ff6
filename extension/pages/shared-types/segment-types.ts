// A segment as the pages' scripts receive it.
import type { AskedFilter } from './dashboard-types';

export interface Segment {
  readonly id: number;
  readonly name: string;
  /** Login. */
  readonly owner: string;
  readonly filters: readonly AskedFilter[];
  readonly shared: boolean;
  /** Incremented by every change. */
  readonly revision: number;
  readonly isOwn: boolean;
  readonly mayChange: boolean;
}
