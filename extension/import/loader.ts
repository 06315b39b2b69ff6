// Owns the loader that every material takes through the importer, as types: check, then write batch by batch.
// A material that can be imported is one function of this type in import-file.ts.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { Manifest, Material } from '../../manifests/reader/manifest';
import type { TouchedRows } from '../rollups/touched-rows';
import type { BadValue } from './import-error';
import type { ImportLimits } from './limits';
import type { TimeParser } from './parse-time';
import type { RowBatch, RowShape } from './row-batch';
import type { RowChecker } from './row-checker';

export interface RoadParts {
  readonly client: ClientBase;
  /** For what must be committed outside the import's transaction. */
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly material: Material;
  readonly siteId: number;
  readonly parseTime: TimeParser;
  readonly limits: ImportLimits;
}

export interface RoadTotals {
  readonly added: number;
  /** Rows that were there with other numbers: these stand now. */
  readonly updated: number;
  readonly unchanged: number;
  /** Whether anything that a query can see is different now. */
  readonly changed: boolean;
}

/** A row of a batch that is wrong by what the database holds. */
export interface LateRefusal {
  readonly row: number;
  readonly fault: BadValue;
}

export interface MaterialLoader {
  readonly checker: RowChecker;
  /** What a row in a batch consists of. */
  readonly shape: RowShape;
  /**
   * Writes a full batch; `last` when no other follows. The batch may be filled again once this is done.
   * Answers the rows that it refused, for the database told that they are wrong.
   */
  write(batch: RowBatch, last: boolean): Promise<readonly LateRefusal[]>;
  /** Whether `write` may refuse rows, so that it must be known where they came from. */
  readonly refusesLate: boolean;
  /** What is left to do in the transaction when all rows are written. */
  finish(): Promise<RoadTotals>;
  /** The notes of rows of which counts are kept. */
  readonly touched?: TouchedRows;
  /** Tables that the planner should look at again. */
  readonly tables: readonly string[];
}

export type OpenLoader = (parts: RoadParts) => Promise<MaterialLoader>;
