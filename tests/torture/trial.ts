// What a trial is: something that is tried many times, and the count of what went wrong.
import type { Dice } from '../language/interpreter/random/dice';

/** Data that went missing, data that are there twice, an answer or an outcome that is not right, and none at all. */
export const FAULTS = ['lost', 'doubled', 'wrong', 'unanswered'] as const;
export type Fault = (typeof FAULTS)[number];

export interface Report {
  /** Counts what was tried. */
  tried(count?: number): void;
  /** Counts one fault, and says what happened. */
  fault(kind: Fault, what: string): void;
  /** A measurement that stands beside the counts. */
  note(text: string): void;
}

/** How much of it: what a run may choose. */
export interface Scale {
  /** Of the trial itself, unless the run chose otherwise. */
  readonly tries: number;
  /** Of trials that last. */
  readonly minutes: number;
}

export interface Trial {
  /** One word, by which a run chooses it. */
  readonly name: string;
  /** A sentence that says what is true when nothing went wrong. */
  readonly title: string;
  /** So many tries are promised; fewer are a fault. */
  readonly tries: number;
  /** Makes what it needs, and removes it. A trial that throws has failed. */
  run(dice: Dice, report: Report, scale: Scale): Promise<void>;
}

export interface Counts extends Readonly<Record<Fault, number>> {
  readonly tries: number;
  readonly seconds: number;
  readonly notes: readonly string[];
}
