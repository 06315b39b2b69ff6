// Owns repairs of a query: edits of its places, as data. A hint shows them; those that are certain are also made.
import type { JsonValue } from './json';
import type { Path } from './path';

/** A rename keeps the key's place among its neighbours; a value at a path that does not exist yet is added last. */
export type Edit =
  | { readonly path: Path; readonly value: JsonValue }
  | { readonly path: Path; readonly remove: true }
  | { readonly path: Path; readonly rename: string };

export interface Repair {
  /** Whether the caller can have meant nothing else. */
  readonly certain: boolean;
  readonly edits: readonly Edit[];
}

/** The one thing that can have been meant. */
export const certainly = (...edits: readonly Edit[]): Repair => ({ certain: true, edits });

/** What was probably meant: worth a hint, but not to be done unasked. */
export const probably = (...edits: readonly Edit[]): Repair => ({ certain: false, edits });

export const write = (path: Path, value: JsonValue): Edit => ({ path, value });
export const remove = (path: Path): Edit => ({ path, remove: true });
export const rename = (path: Path, name: string): Edit => ({ path, rename: name });
