// What a rule of the normaliser sees of a query, and what it makes of it.

import type { Fault, Given } from '../errors/fault';
import type { Contract } from '../types/contract';
import type { JsonObject, JsonValue } from '../types/json';
import type { Path } from '../types/path';
import { certainly, type HintFailures, type Repair, write } from '../types/repair';

/** A place at which a query is wrong. */
export interface WrongPlace extends HintFailures {
  readonly query: JsonObject;
  readonly path: Path;
  /** undefined = the key is absent. */
  readonly value: JsonValue | undefined;
  /** The keys of the object that the place is, or is in. */
  readonly keys: readonly string[];
  readonly contract: Contract;
  readonly zones: ReadonlySet<string>;
}

/** What was meant by something that other languages write. */
export interface Meant {
  readonly repair?: Repair | undefined;
  /** Parameters for the words of the fault, such as the hint to show. */
  readonly given?: Given;
  /** The fault to report instead of the schema's, and its place. */
  readonly fault?: Fault;
  readonly path?: Path;
  /** The feature that the place needs, where it is off. */
  readonly feature?: string;
}

/** undefined = nothing is known of it. */
export type Rule = (place: WrongPlace) => Meant | undefined;

/** The value that can only have been meant at the place; undefined where there is none. */
export const certainValue = (path: Path, value: JsonValue | undefined): Meant | undefined =>
  value === undefined ? undefined : { repair: certainly(write(path, value)) };

/** Longer texts are not examined. */
export const LONGEST_TEXT = 200;
