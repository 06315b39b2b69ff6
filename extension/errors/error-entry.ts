// Owns the form of an entry of the error table.
import type { Wording } from './query-error';

/** `when` is for the documentation; `say` words the error from its parameters. */
export interface ErrorEntry<Parameters> {
  readonly status: number;
  readonly when: string;
  readonly say: (parameters: Parameters) => Wording;
}

export const entry = <Parameters>(
  status: number,
  when: string,
  say: (parameters: Parameters) => Wording,
): ErrorEntry<Parameters> => ({ status, when, say });

/** What stood at the place. */
export interface Received {
  readonly received: unknown;
}
