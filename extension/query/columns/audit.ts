// Slowly compares the copy with PostgreSQL in the background, only while no query is waiting.
import type { Knex } from 'knex';
import type { Clock } from '../../../host-shim/extension-api';
import { forCopy } from '../../data/storage/in-transaction';
import type { Workers } from '../../data/storage/workers';
import type { Difference } from './check-copied';
import { differingColumns } from './compare-copy';
import { type ComparedRows, rowsOfShared, rowsOfSite, rowsOutside, type Span } from './compared-rows';
import { type CopiedTable, isShared } from './copied-tables';
import type { OpenCopy } from './open-copy';
import { listSites, type PresentSite } from './present-sites';
import type { SiteCopy } from './refresh-site';
import { COPIED_PIECES, findAllSpans, type PieceSizes } from './site-spans';

export interface AuditOptions {
  readonly write: Knex;
  readonly workers: Workers;
  /** The time from the end of one round to the start of the next; 0 = no audit. */
  readonly auditHours: number;
  readonly clock: Clock;
  /** How long to pause after comparing, as a multiple of the time that the comparison took. */
  readonly auditRest?: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly isBusy?: (() => boolean) | undefined;
  readonly pieceSizes?: PieceSizes | undefined;
}

/** A group of rows to compare. */
interface Piece {
  readonly site: PresentSite;
  readonly isShared: boolean;
  compare(): Promise<Difference | undefined>;
}

const HOUR_MS = 3_600_000;
/** Each piece takes about a tenth of a second to hash. */
const AUDITED_PIECES: PieceSizes = { ...COPIED_PIECES, rowsAtOnce: 20_000 };
const WORK_MS = 100;
/** Uses at most 5% of a CPU core. */
const DEFAULT_REST = 19;
/** A piece that changes during every attempt to compare it is left for the next round. */
const MAX_TRIES = 5;

export function startAudit(options: AuditOptions) {
  const { write, workers, auditHours, clock, now, isBusy } = options;
  const { auditRest = DEFAULT_REST, pieceSizes = AUDITED_PIECES } = options;
  let finished: string | undefined;
  let round: { readonly copy: OpenCopy; readonly pieces: AsyncGenerator<Piece> } | undefined;
  let again: { readonly piece: Piece; readonly tries: number } | undefined;
  let restUntil = Number.NEGATIVE_INFINITY;

  // Uses the absolute difference, so that a clock that was ahead for a while does not delay the audit.
  const isDue = () =>
    finished === undefined || Math.abs(clock().getTime() - Date.parse(finished)) >= auditHours * HOUR_MS;

  /** Selects the derived table to recompute: a different one in each round, even if each round runs in a different process. */
  const turn = () => Math.floor(clock().getTime() / (auditHours * HOUR_MS));

  async function nextPiece(): Promise<Piece | undefined> {
    if (again !== undefined) return again.piece;
    const next = await round?.pieces.next();
    return next?.done === false ? next.value : undefined;
  }

  /** If a round is due, compares for a short time. Returns the first difference found. */
  async function next(copy: OpenCopy, copyOf: (siteId: number) => SiteCopy | undefined) {
    if (auditHours === 0 || now() < restUntil || isBusy?.() === true) return undefined;
    if (round?.copy !== copy) {
      round = undefined;
      again = undefined;
    }
    if (round === undefined && !isDue()) return undefined;
    round ??= { copy, pieces: piecesOf({ write, workers }, copy, turn(), pieceSizes) };
    const began = now();
    try {
      while (now() - began < WORK_MS) {
        const piece = await nextPiece();
        if (piece === undefined) {
          round = undefined;
          finished = clock().toISOString();
          return undefined;
        }
        const isCopied = async () => {
          const [present] = await listSites(write, workers, piece.site.siteId);
          return present !== undefined && copyOf(present.siteId)?.version === present.version;
        };
        // Versions are never reused, so if they are the same before and after, nothing changed in between.
        const version = copyOf(piece.site.siteId)?.version;
        const difference = (await isCopied()) ? await piece.compare() : undefined;
        if (version !== undefined && (await isCopied()) && copyOf(piece.site.siteId)?.version === version) {
          again = undefined;
          if (difference !== undefined) return { site: piece.site, difference, isShared: piece.isShared };
        } else {
          const tries = (again?.tries ?? 0) + 1;
          again = tries < MAX_TRIES ? { piece, tries } : undefined;
          return undefined;
        }
      }
      return undefined;
    } finally {
      restUntil = now() + (now() - began) * auditRest;
    }
  }

  return {
    next,
    finishedAt: () => finished,
    /** Records the time at which an earlier process finished its last round. */
    restore(finishedAt: string | undefined) {
      finished ??= finishedAt;
    },
  };
}

async function* piecesOf(
  { write, workers }: Pick<AuditOptions, 'write' | 'workers'>,
  copy: OpenCopy,
  turn: number,
  sizes: PieceSizes,
): AsyncGenerator<Piece> {
  const { file, tables, counts } = copy;
  const sites = await listSites(write, workers);
  const derived = counts.derived[turn % Math.max(1, counts.derived.length)];
  for (const site of sites) {
    const { siteId } = site;
    // Rows that are added later, outside these spans, are also compared.
    const pieces = await forCopy(
      write,
      async (client) => {
        const { spansIn } = await findAllSpans(client, tables, siteId, sizes);
        const found: ComparedRows[] = [];
        for (const table of tables.filter((it) => !isShared(it)))
          found.push(...allRows(table, siteId, await spansIn(table)));
        return found;
      },
      workers.guard([siteId]),
    );
    for (const rows of pieces) yield { site, isShared: false, compare: () => compareRows(rows) };
    if (derived !== undefined)
      yield {
        site,
        isShared: false,
        async compare() {
          const { name, compared } = derived;
          return (await counts.differ(derived, siteId))
            ? { table: name, span: 'all rows', columns: [compared] }
            : undefined;
        },
      };
  }
  const [site] = sites;
  if (site === undefined) return;
  for (const table of tables.filter(isShared)) {
    const rows = rowsOfShared(table, site.siteId);
    yield { site, isShared: true, compare: () => compareRows(rows) };
  }

  async function compareRows(rows: ComparedRows): Promise<Difference | undefined> {
    const both = { write, file, tables, guard: workers.guard('reachable') };
    const columns = await differingColumns(both, rows);
    return columns.length === 0 ? undefined : { table: rows.table.name, span: rows.title, columns };
  }
}

function allRows(
  table: CopiedTable,
  siteId: number,
  spans: readonly (Span | undefined)[],
): readonly ComparedRows[] {
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return [rowsOfSite(table, siteId, undefined)];
  return [
    ...spans.map((span) => rowsOfSite(table, siteId, span)),
    rowsOutside(table, siteId, { low: first.low, high: last.high }),
  ];
}
