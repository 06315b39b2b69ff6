// Reads the copy for queries. The sites' versions are read in the same snapshot as the rows, so that the answer is valid even if
// the data changes while it is computed.
import { z } from 'zod';
import type { Log } from '../../../host-shim/extension-api';
import { LARGE } from '../../language/sql/dialects/duckdb';
import { TOO_MANY_CELLS } from '../../language/sql/fill-sql';
import type { CompiledQuery, RowBatches } from '../../language/types/compiled-query';
import { type ColumnReader, GaveUp, LARGE_QUOTIENT, OUT_OF_MEMORY } from '../column-reader';
import type { ColumnFile } from './column-file';
import { ColumnFileError, ColumnsUnavailable } from './column-file-error';
import type { SnapshotCheck } from './connection-pool';
import type { SiteCopy } from './refresh-site';

interface CopyState extends Pick<ColumnReader, 'whyNot'> {
  file(): ColumnFile | undefined;
  foundWrong(): number;
  readonly log: Log;
  onFatal(): void;
}

/** The dialect's error for a number that it cannot compute exactly, or DuckDB's error for a number beyond 128 bits. */
const isInexact = ({ kind, message }: ColumnFileError): boolean =>
  message.endsWith(': inexact') || kind === 'Out of Range Error';
const CHANGED_MEANWHILE = { gaveUp: 'The data changed while the query was running.' };

export function copyReader(state: CopyState): Pick<ColumnReader, 'read'> {
  const { file, whyNot, foundWrong, log, onFatal } = state;
  const loggedKinds = new Set<string>();

  /** Logs each kind of failure once. */
  function asGaveUp(error: unknown): { readonly gaveUp: string } {
    if (error instanceof ColumnsUnavailable) return { gaveUp: error.message };
    const isOfFile = error instanceof ColumnFileError;
    if (isOfFile && isInexact(error))
      return { gaveUp: 'The columnar copy could not compute the result exactly.' };
    if (isOfFile && error.message.endsWith(LARGE)) return { gaveUp: LARGE_QUOTIENT };
    if (isOfFile && error.message.includes(TOO_MANY_CELLS))
      return { gaveUp: 'The view has too many periods to fill.' };
    if (isOfFile && error.isFatal) onFatal();
    const kind = isOfFile ? error.kind : 'Error';
    if (!loggedKinds.has(kind)) {
      loggedKinds.add(kind);
      log.warn({ err: error }, 'The columnar copy could not answer a query, so it was answered from rows.');
    }
    if (kind === 'Out of Memory Error') return { gaveUp: OUT_OF_MEMORY };
    return { gaveUp: `The columnar copy could not answer the query: ${kind}.` };
  }

  async function* resumed(
    first: IteratorResult<readonly (readonly (string | number | null)[])[], void>,
    rest: RowBatches,
    signal: AbortSignal,
  ): RowBatches {
    try {
      if (first.done === true) return;
      yield first.value;
      yield* rest;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof RangeError ? error : new GaveUp(asGaveUp(error).gaveUp);
    } finally {
      await rest.return();
    }
  }

  return {
    async read(statement, copies, signal, maxCells = Number.POSITIVE_INFINITY) {
      const open = file();
      if (open === undefined || whyNot(copies) !== undefined) return CHANGED_MEANWHILE;
      const wrongBefore = foundWrong();
      const checked = checkOf(copies);
      const batches =
        maxCells <= CELLS_AT_ONCE
          ? readAtOnce(open, statement, signal, checked)
          : open.batches(statement, signal, checked);
      try {
        const first = await batches.next();
        if (file() === open && foundWrong() === wrongBefore) return { rows: resumed(first, batches, signal) };
        await batches.return();
        return CHANGED_MEANWHILE;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RangeError) throw error;
        return asGaveUp(error);
      }
    },
  };
}

/** Converting this many values takes one or two milliseconds. */
const CELLS_AT_ONCE = 8_192;

async function* readAtOnce(file: ColumnFile, ...read: Parameters<ColumnFile['read']>): RowBatches {
  const rows = await file.read(...read);
  if (rows.length > 0) yield rows;
}

/** DuckDB searches the whole list for each row, so a longer list would be slow. */
const MAX_LISTED = 200;

/**
 * Reads the versions of these sites, or of all sites. Also reads `copied_at`, because a site that was removed and copied again
 * may not have the counts that the statement reads.
 */
function copiedSites(copies: readonly SiteCopy[]): CompiledQuery {
  const text = 'SELECT site_id, version, copied_at FROM copied_site';
  return copies.length > MAX_LISTED
    ? { text, bindings: [] }
    : {
        text: `${text} WHERE list_contains($1::smallint[], site_id)`,
        bindings: [copies.map(({ siteId }) => siteId)],
      };
}

const copiedRows = z.array(z.tuple([z.number(), z.string(), z.number()]));

/** Throws unless the snapshot has these copies. */
function checkOf(copies: readonly SiteCopy[]): SnapshotCheck {
  const keys = copies.map(({ siteId, version, copiedAt }) => [siteId, version, copiedAt].join());
  return {
    keys,
    async check(run) {
      const rows = copiedRows.parse(await run({ ...copiedSites(copies), isKept: true }));
      const found = new Set(rows.map((row) => row.join()));
      if (!keys.every((key) => found.has(key)))
        throw new ColumnsUnavailable(CHANGED_MEANWHILE.gaveUp, undefined, undefined);
    },
  };
}

export function whyNotOf(
  sites: Parameters<ColumnReader['whyNot']>[0],
  copies: ReadonlyMap<number, SiteCopy>,
  whyLeft: (siteId: number) => string | undefined,
  whyMissing: (siteId: number) => string,
): string | undefined {
  for (const { siteId, version } of sites) {
    const left = whyLeft(siteId);
    if (left !== undefined) return left;
    const copied = copies.get(siteId)?.version;
    if (copied === undefined) return whyMissing(siteId);
    if (copied !== version) return 'The data changed a moment ago, and the columnar copy is being updated.';
  }
  return undefined;
}
