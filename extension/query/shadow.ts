// After the columnar copy has answered a query, sometimes runs it on rows in the background, and compares the answers. If they
// differ, the sites are copied again, and both statements and both results are saved to a file.
import { createHash, randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, createFolder, type Log } from '../../host-shim/extension-api';
import { type SitesReader, statesNow, versionsOf } from '../data/storage/sites/site-states';
import type { AnsweredResult, HeldRows } from '../language/types/query-result';
import type { ResolvedQuery } from '../language/types/resolved-query';
import type { Columns } from './columns/columns';
import type { QueryQueue } from './query-queue';
import type { Ran } from './read-result';

export interface AnsweredByColumns {
  readonly resolved: ResolvedQuery;
  readonly columns: Ran;
  readonly reader: SitesReader;
  /** Runs the query on rows. The caller must release the result's rows. */
  fromRows(signal: AbortSignal): Promise<Ran>;
}

export interface ShadowReader {
  /** Holds the answer's rows for as long as it needs them. */
  answered(answer: AnsweredByColumns): void;
}

export interface Shadow extends ShadowReader {
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export interface ShadowOptions {
  /** One in n answers is compared; 0 = none. */
  readonly oneIn: number;
  readonly folder: string;
  readonly queue: Pick<QueryQueue<unknown>, 'runIfFree'>;
  readonly columns: () => Pick<Columns, 'distrust'> | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** How long to pause after a comparison, as a multiple of the time that the comparison took. */
  readonly rest?: number;
}

/** Limits comparisons to 1% of a CPU core. */
const DEFAULT_REST = 99;
const MAX_FILES = 20;
const MAX_BYTES = 1_000_000;

export function createShadow(options: ShadowOptions): Shadow {
  const { oneIn, folder, queue, columns, clock, log, rest = DEFAULT_REST } = options;
  const stopping = new AbortController();
  let skipped = 0;
  let restUntil = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function compare({ resolved, reader, columns: copied, fromRows }: AnsweredByColumns): Promise<void> {
    const again = await fromRows(stopping.signal);
    try {
      if (await isSame(copied.result, again.result)) return;
      // Versions are never reused, so if they are the same before and after, nothing changed in between.
      const versions = versionsOf(resolved.scope.states);
      if (versionsOf(await statesNow(resolved.scope, reader)) !== versions) return;
      columns()?.distrust(resolved.scope.states, await whereSaved(resolved, copied, again));
    } finally {
      again.result.rows.release();
    }
  }

  /** Never rejects: the copy must be distrusted even if the evidence cannot be saved. */
  async function whereSaved(resolved: ResolvedQuery, copied: Ran, again: Ran): Promise<string> {
    try {
      return `saved in ${await saveEvidence(resolved, copied, again)}`;
    } catch (error) {
      log.warn({ err: error }, 'An answer that differed from rows could not be saved.');
      return 'not saved';
    }
  }

  async function saveEvidence(resolved: ResolvedQuery, copied: Ran, again: Ran): Promise<string> {
    const { trackingId, states } = resolved.scope;
    const at = clock().toISOString();
    const evidence = { at, trackingId, states, columns: await shown(copied), rows: await shown(again) };
    await createFolder(folder, 0o700);
    const earlier = (await readdir(folder)).sort();
    for (const old of earlier.slice(0, Math.max(0, earlier.length + 1 - MAX_FILES)))
      await rm(join(folder, old), { force: true });
    const path = join(folder, `${at.replaceAll(':', '-')}-${randomUUID()}.json`);
    await writeFile(path, `${JSON.stringify(evidence, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return path;
  }

  return {
    answered(answer) {
      if (oneIn === 0 || stopping.signal.aborted) return;
      skipped += 1;
      if (skipped < oneIn || running !== undefined || performance.now() < restUntil) return;
      const began = performance.now();
      const compared = queue.runIfFree('shadow', () => {
        answer.columns.result.rows.hold();
        return compare(answer);
      });
      if (compared === undefined) return;
      skipped = 0;
      running = compared
        .catch((error: unknown) => {
          if (!stopping.signal.aborted)
            log.warn({ err: error }, 'An answer from the columnar copy could not be compared with rows.');
        })
        .finally(() => {
          answer.columns.result.rows.release();
          restUntil = performance.now() + (performance.now() - began) * rest;
          running = undefined;
        });
    },
    async settle() {
      await running;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** `totalCount` is compared only if both engines return it. */
async function isSame(one: AnsweredResult<HeldRows>, other: AnsweredResult<HeldRows>): Promise<boolean> {
  const bothAreKnown = one.totalCount !== null && other.totalCount !== null;
  return (
    one.count === other.count &&
    one.rowCount === other.rowCount &&
    one.truncated === other.truncated &&
    (!bothAreKnown || one.totalCount === other.totalCount) &&
    (await digestOf(one.rows)) === (await digestOf(other.rows))
  );
}

async function digestOf(rows: HeldRows): Promise<string> {
  const digest = createHash('sha256');
  for await (const text of rows.texts()) {
    if (text.length === 0) continue;
    digest.update(text);
    digest.update(',');
  }
  return digest.digest('base64url');
}

async function shown({ sql, result: { rows, ...head } }: Ran): Promise<object> {
  const texts: Buffer[] = [];
  let bytes = 0;
  for await (const text of rows.texts()) {
    if (bytes + text.length > MAX_BYTES) break;
    bytes += text.length;
    if (text.length > 0) texts.push(text);
  }
  return {
    statement: sql.text,
    bindings: sql.bindings,
    ...head,
    isCut: bytes < rows.bytes,
    rows: JSON.parse(`[${texts.join(',')}]`),
  };
}
