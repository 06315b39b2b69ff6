// Rows of erased visitors from before their erasure, which no import brings back.
import type { ClientBase } from 'pg';
import type { Material } from '../../../../manifests/reader/manifest';
import { type DigestKind, digester, erasureKey, namedAs } from '../../removal/erasure-digests';
import { remembering } from '../bounded-maps';
import type { TimeParser } from '../parse-time';
import { idParser } from '../parse-value';
import type { OpenRow } from './derive-views';

/** The reason for skipping such rows, as reports show it. */
export const OF_ERASED = 'rows of erased visitors';

/** The columns that may name a visitor, a visit or a page view. */
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
 * visitors, so it identifies only rows that name none.
 */
function namingColumns(row: OpenRow, isOfView: boolean): readonly string[] {
  if (isOfView && isGiven(row.pv_id) && !isGiven(row.access_time)) return ['pv_id'];
  return VISITOR.some((column) => isGiven(row[column])) ? [...VISITOR, 'pv_id'] : ['pv_id', 'session_id'];
}

const parseId = idParser({});

/** As imports store it: "007" is a text. */
function isNumber(value: unknown): boolean {
  try {
    return typeof parseId(value) === 'number';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const RECENT = 20_000;
const NEVER = Number.NEGATIVE_INFINITY;

/** Returns a function that recognizes such rows; undefined if no visitor of the site was erased. */
export async function erasedRows(
  client: Pick<ClientBase, 'query'>,
  siteId: number,
  { parent }: Pick<Material, 'parent'>,
  parseTime: TimeParser,
): Promise<((row: OpenRow) => boolean) | undefined> {
  const { rows } = await client.query<{ at: number; digests: readonly string[] }>(
    `SELECT extract(epoch FROM erased_at)::float8 AS at, names || rows AS digests FROM analytics.erasure
      WHERE site_id = $1 ORDER BY erased_at`,
    [siteId],
  );
  if (rows.length === 0) return undefined;
  const erased = new Map(rows.flatMap(({ at, digests }) => digests.map((digest) => [digest, at] as const)));
  const digest = digester(await erasureKey(client, siteId));
  const erasedAt = remembering(RECENT, (named) => erased.get(digest(named)) ?? NEVER);
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
