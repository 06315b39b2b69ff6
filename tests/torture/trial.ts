import type { Dice } from '../language/interpreter/random/dice';

/** Missing data, duplicate data, an incorrect answer or outcome, and no answer in time. */
export const FAULTS = ['lost', 'duplicated', 'wrong', 'unanswered'] as const;
export type Fault = (typeof FAULTS)[number];

export interface Report {
  tried(count?: number): void;
  /** Counts one fault and prints its description. */
  fault(kind: Fault, what: string): void;
  /** Adds a measurement to the table. */
  note(text: string): void;
}

export interface Scale {
  /** The trial's default number of tries, unless TRIES is set. */
  readonly tries: number;
  /** For trials that run for a fixed time. */
  readonly minutes: number;
}

export interface Trial {
  readonly name: string;
  /** A sentence that is true if nothing goes wrong. */
  readonly title: string;
  /** Fewer tries than this are reported as a fault. */
  readonly tries: number;
  /** Creates everything that the trial needs, and removes it afterwards. A trial that throws has failed. */
  run(dice: Dice, report: Report, scale: Scale): Promise<void>;
}

export interface Counts extends Readonly<Record<Fault, number>> {
  readonly tries: number;
  readonly seconds: number;
  readonly notes: readonly string[];
}
