// The input and output of the rules that repair a query.

import type { Fault, Given } from '../errors/fault';
import type { Contract } from '../types/contract';
import type { JsonObject, JsonValue } from '../types/json';
import type { Path } from '../types/path';
import { certainly, type HintFailures, type Repair, write } from '../types/repair';

/** A place at which a query is wrong. */
export interface WrongPlace extends HintFailures {
  readonly query: JsonObject;
  readonly path: Path;
  /** Undefined if the key is absent. */
  readonly value: JsonValue | undefined;
  /** The keys of the object at the place, or of the object around it. */
  readonly keys: readonly string[];
  readonly contract: Contract;
  readonly zones: ReadonlySet<string>;
}

/** The meaning of foreign syntax. */
export interface Meant {
  readonly repair?: Repair | undefined;
  /** Parameters for the error text, such as the hint to show. */
  readonly given?: Given;
  /** Replaces the fault of the schema. */
  readonly fault?: Fault;
  readonly path?: Path;
  /** The feature that the place needs, if it is off. */
  readonly feature?: string;
}

/** Returns undefined for unknown syntax. */
export type Rule = (place: WrongPlace) => Meant | undefined;

/** A certain repair that writes the value; undefined without a value. */
export const certainValue = (path: Path, value: JsonValue | undefined): Meant | undefined =>
  value === undefined ? undefined : { repair: certainly(write(path, value)) };

/** Longer texts are not examined. */
export const LONGEST_TEXT = 200;
