// Items that users save under a name, as the pages' scripts receive them.
import type { RequestedFilter } from './dashboard-types';

export const MAX_NAME_LENGTH = 100;

export interface Saved {
  readonly id: number;
  readonly name: string;
  /** The owner's login. */
  readonly owner: string;
  readonly shared: boolean;
  /** Incremented by every change. */
  readonly revision: number;
  readonly isOwn: boolean;
  readonly mayChange: boolean;
}

export interface Segment extends Saved {
  readonly filters: readonly RequestedFilter[];
}

/** `Instant` is a string in JSON. */
export interface SavedQuery<Instant = string> extends Saved {
  readonly version: string;
  readonly changedAt: Instant;
}
