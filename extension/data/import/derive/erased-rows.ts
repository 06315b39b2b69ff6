// Erased visitors' rows from before the erasure, which imports never bring back.
import type { ClientBase } from 'pg';
import type { Material } from '../../../../manifests/reader/manifest';
import { type DigestKind, digester, erasureKey, namedAs } from '../../removal/erasure-digests';
import { remembering } from '../bounded-maps';
import type { TimeParser } from '../parse-time';
import { idParser } from '../parse-value';
import type { OpenRow } from './derive-views';

/** The reason for skipping such rows, as reports show it. */
export const OF_ERASED = 'rows of erased visitors';

/** The columns that can identify a visitor, a visit or a page view. */
const NAMING: Readonly<Record<string, (value: unknown) => DigestKind>> = {
  original_id: () => 'name',
  reader_id: (value) => (isNumber(value) ? 'number' : 'name'),
  'view.reader_id': () => 'number',
  pv_id: () => 'pv_id',
  session_id: () => 'session_id',
};

const VISITOR = ['original_id', 'reader_id', 'view.reader_id'];

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * A click or event without a time is as old as its page view, and the visitor may have new ones. A visit may have several
 * visitors, so it only identifies rows without a visitor.
 */
function namingColumns(row: OpenRow, isOfView: boolean): readonly string[] {
  if (isOfView && isGiven(row.pv_id) && !isGiven(row.access_time)) return ['pv_id'];
  return VISITOR.some((column) => isGiven(row[column])) ? [...VISITOR, 'pv_id'] : ['pv_id', 'session_id'];
}

const parseId = idParser({});

/** As imports store it: "007" is text. */
function isNumber(value: unknown): boolean {
  try {
    return typeof parseId(value) === 'number';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** 64 bits of a hash are enough: among a million, the probability that another id has the same bits is 1 in 10^13. */
const BEGINNING_BYTES = 8;
const ERASED = `
SELECT extract(epoch FROM e.erased_at)::float8 AS at, d.digests
  FROM analytics.erasure e, LATERAL (
       SELECT string_agg(decode(left(digest, ${2 * BEGINNING_BYTES}), 'hex'), '') AS digests FROM unnest(e.names || e.rows) digest) d
 WHERE e.site_id = $1 AND d.digests IS NOT NULL ORDER BY e.erased_at`;

const RECENT = 20_000;
const NEVER = Number.NEGATIVE_INFINITY;

/** Returns a function that recognizes such rows; undefined if no visitor of the site was erased. */
export async function erasedRows(
  client: Pick<ClientBase, 'query'>,
  siteId: number,
  { parent }: Pick<Material, 'parent'>,
  parseTime: TimeParser,
): Promise<((row: OpenRow) => boolean) | undefined> {
  const { rows } = await client.query<{ at: number; digests: Buffer }>(ERASED, [siteId]);
  if (rows.length === 0) return undefined;
  const erased = new Map<bigint, number>();
  for (const { at, digests } of rows)
    for (let place = 0; place < digests.length; place += BEGINNING_BYTES)
      erased.set(digests.readBigUInt64BE(place), at);
  const digest = digester(await erasureKey(client, siteId));
  const erasedAt = remembering(
    RECENT,
    (named) => erased.get(BigInt(`0x${digest(named).slice(0, 2 * BEGINNING_BYTES)}`)) ?? NEVER,
  );
  /** A row without a valid time may be from before the erasure. */
  const timeOf = ({ access_time: time }: OpenRow): number => {
    try {
      return parseTime(time);
    } catch (error) {
      if (error instanceof RangeError) return NEVER;
      throw error;
    }
  };
  return (row) => {
    let at = NEVER;
    for (const column of namingColumns(row, parent !== undefined)) {
      const kindOf = NAMING[column];
      const value = row[column];
      if (kindOf !== undefined && isGiven(value))
        at = Math.max(at, erasedAt(namedAs(kindOf(value), String(value))));
    }
    return at !== NEVER && timeOf(row) < at;
  };
}
