// Stores measurements in a file, so that an interrupted run can be resumed and reported.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Compared } from './compare';
import type { Fill } from './fill';
import type { FullHouse } from './full-house';
import type { LoadCost } from './import-by';
import type { RequestCost } from './request-cost';
import type { ServerMeasurements } from './served';
import type { Stored } from './stored';

/** The results for one size of the data. */
export interface Results {
  /** The costs of loading, by site and material. A new run on the same data reuses them. */
  readonly loads: Readonly<Record<string, LoadCost>>;
  /** The measurements of each query, one for each range. */
  readonly questions: Readonly<Record<string, readonly Compared[]>>;
  readonly stored?: Stored;
  readonly fill?: Fill;
  readonly costs?: readonly RequestCost[];
  readonly served?: ServerMeasurements;
  /** Results that an older version measured may lack parts. */
  readonly fullHouse?: Partial<FullHouse>;
  readonly duck?: { readonly version: string; readonly megabytes: number };
}

export interface ResultsFile {
  readonly all: () => Results;
  /** Returns the result with this name, and measures it first if no earlier run has. */
  once<Name extends Exclude<keyof Results, 'loads' | 'questions'>>(
    name: Name,
    measure: () => Promise<NonNullable<Results[Name]>>,
  ): Promise<NonNullable<Results[Name]>>;
  onceOf<Name extends 'loads' | 'questions'>(
    name: Name,
    key: string,
    measure: () => Promise<Results[Name][string]>,
  ): Promise<void>;
  /** Makes the next run measure again, on the existing data. */
  finish(): void;
}

const NOTHING: Results = { loads: {}, questions: {} };

/** The results in a file; empty if the file does not exist. */
export const readResults = (file: string): Results =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : NOTHING;

/** Opens the results of a run. A new run copies only the loads from `last`, the file with the results of the last finished run. */
export function openResults(file: string, last: string): ResultsFile {
  let results = readResults(file);
  if (!existsSync(file) && existsSync(last)) results = { ...NOTHING, loads: readResults(last).loads };
  const save = (change: Partial<Results>): void => {
    results = { ...results, ...change };
    writeFileSync(`${file}.new`, JSON.stringify(results));
    renameSync(`${file}.new`, file);
  };
  return {
    all: () => results,
    async once(name, measure) {
      const known = results[name];
      if (known !== undefined) return known;
      const measured = await measure();
      save({ [name]: measured });
      return measured;
    },
    async onceOf(name, key, measure) {
      if (results[name][key] === undefined) save({ [name]: { ...results[name], [key]: await measure() } });
    },
    finish() {
      rmSync(last, { force: true });
      renameSync(file, last);
    },
  };
}
