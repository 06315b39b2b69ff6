import type { Fault, Given } from '../errors/fault';
import type { Contract } from '../types/contract';
import type { JsonObject, JsonValue } from '../types/json';
import type { Path } from '../types/path';
import { certainly, type HintFailures, type Repair, write } from '../types/repair';

export interface ParseContext extends HintFailures {
  readonly contract: Contract;
  /** The time zones that a query may use. */
  readonly zones: ReadonlySet<string>;
  /** When the query was received, in epoch seconds, for hints about relative dates. */
  readonly receivedAt?: number | undefined;
}

/** A position with an error. */
export interface WrongPlace extends ParseContext {
  readonly query: JsonObject;
  readonly path: Path;
  /** Undefined if the key is absent. */
  readonly value: JsonValue | undefined;
  /** The keys of the object at this position, or of the enclosing object. */
  readonly keys: readonly string[];
}

/** The meaning of another language's syntax. */
export interface Meant {
  readonly repair?: Repair | undefined;
  /** Parameters for the error message, such as the hint to show. */
  readonly given?: Given;
  /** Replaces the schema's error. */
  readonly fault?: Fault;
  readonly path?: Path;
  /** The feature that is needed but is off. */
  readonly feature?: string;
}

/** Returns undefined for unknown syntax. */
export type Rule = (place: WrongPlace) => Meant | undefined;

/** An unambiguous repair that writes `value`; undefined if there is no value. */
export const certainValue = (path: Path, value: JsonValue | undefined): Meant | undefined =>
  value === undefined ? undefined : { repair: certainly(write(path, value)) };

/** Rules ignore longer strings. */
export const MAX_TEXT_LENGTH = 200;
