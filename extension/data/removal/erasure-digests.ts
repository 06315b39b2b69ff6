// Hashes of what identifies erased visitors, keyed with their site's secret. The hashes identify a visitor in a backup or a file.
// Without the secret, which only the database and its backups contain, it is impossible to find out who was erased.
import { hash, hkdfSync } from 'node:crypto';
import type { ClientBase } from 'pg';
import { loadSiteRules } from '../import/derive/site-rules';
import { FIRST_MAPPED_ID, isGivenId, NAMED_BY } from '../rows/generated-ids';
import type { VisitorIds } from './find-visitor';
import { namesOf } from './mentions';

/** `name`: a string that identifies a visitor; `number`: a reader_id; the others: ids from files. */
export type DigestKind = 'name' | 'number' | 'pv_id' | 'session_id';

const KEY_BYTES = 32;
const BLOCK_BYTES = 64;

/** Reads the key for a site's hashes. */
export async function erasureKey(client: Pick<ClientBase, 'query'>, siteId: number): Promise<Buffer> {
  const { secret } = await loadSiteRules(client, siteId);
  return Buffer.from(hkdfSync('sha256', secret, '', 'erased visitors', KEY_BYTES));
}

/** The string that is hashed. */
export const namedAs = (kind: DigestKind, text: string): string => `${kind} ${text}`;

/** Returns a function that computes HMAC-SHA-256 with this key, in an eighth of the time that an Hmac object takes. */
export function digester(key: Buffer): (named: string) => string {
  const [inner, outer] = [padded(key, INNER), padded(key, OUTER)];
  return (named) =>
    hash(
      'sha256',
      Buffer.concat([outer, hash('sha256', Buffer.concat([inner, Buffer.from(named)]), 'buffer')]),
      'hex',
    );
}

const INNER = 0x36;
const OUTER = 0x5c;

const padded = (key: Buffer, byte: number): Buffer => {
  const block = Buffer.alloc(BLOCK_BYTES, byte);
  for (const [place, one] of key.entries()) block[place] = one ^ byte;
  return block;
};

/**
 * Hashes of what identifies the visitor. A generated number is included only if there is nothing else, because another
 * visitor may get it later.
 */
export function nameDigests(key: Buffer, visitor: VisitorIds): readonly string[] {
  const names = namesOf(visitor);
  const digest = digester(key);
  const numbers = visitor.readerIds.filter((id) => id < FIRST_MAPPED_ID || names.length === 0);
  return [
    ...names.map((name) => digest(namedAs('name', name))),
    ...numbers.map((id) => digest(namedAs('number', String(id)))),
  ];
}

/** One subquery per hash; otherwise the planner would read the whole table instead of looking up a batch. */
const ERASED_AT = `
SELECT encode(u.digest, 'hex') AS digest, extract(epoch FROM e.erased_at)::float8 AS at
  FROM unnest($2::bytea[]) u (digest), LATERAL (
       SELECT max(e.erased_at) AS erased_at FROM analytics.erased_digest d JOIN analytics.erasure e USING (site_id, erasure_id)
        WHERE d.site_id = $1 AND d.digest = u.digest) e
 WHERE e.erased_at IS NOT NULL`;

/** When visitors with these hashes were last erased, in epoch seconds. */
export async function erasedAt(
  client: Pick<ClientBase, 'query'>,
  siteId: number,
  digests: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  if (digests.size === 0) return new Map();
  const { rows } = await client.query<{ digest: string; at: number }>(ERASED_AT, [
    siteId,
    [...digests].map((digest) => `\\x${digest}`),
  ]);
  return new Map(rows.map(({ digest, at }) => [digest, at]));
}

/**
 * SQL: what `digester` returns for a kind and a string, as bytes. `$2` and `$3` are the pads of the key: there may be millions of
 * strings.
 */
const DIGEST = `sha256($2::bytea || sha256($3::bytea || convert_to(kind || ' ' || text, 'UTF8')))`;

const padsOf = (key: Buffer): readonly Buffer[] => [padded(key, OUTER), padded(key, INNER)];

const givenIds = (field: 'pv_id' | 'session_id', condition: string): string => `
SELECT '${field}' AS kind, coalesce(g.given, v.${field}::text) AS text
  FROM erased e JOIN analytics.page_view v ON v.site_id = $1 AND v.reader_id = e.reader_id
  LEFT JOIN analytics.given_id g ON g.site_id = $1 AND g.kind = '${field}' AND g.id = v.${field}
 WHERE ${isGivenId(`v.${field}`)} AND ${condition}`;

const REMEMBER_ROWS = `
WITH erased AS MATERIALIZED (SELECT unnest($5::bigint[]) AS reader_id)
INSERT INTO analytics.erased_digest (site_id, erasure_id, digest)
SELECT $1, $4, ${DIGEST} FROM (
  ${givenIds('pv_id', 'true')}
  UNION ${givenIds(
    'session_id',
    `NOT EXISTS (SELECT FROM analytics.page_view o
                  WHERE o.site_id = $1 AND o.session_id = v.session_id AND o.reader_id NOT IN (SELECT reader_id FROM erased))`,
  )}) n
    ON CONFLICT DO NOTHING`;

/** Stores the hashes of the ids in files for the page views of visitors, and for visits that only these visitors share. */
export async function rememberRows(
  client: ClientBase,
  siteId: number,
  key: Buffer,
  erasureId: string,
  { readerIds }: VisitorIds,
): Promise<void> {
  await client.query(REMEMBER_ROWS, [siteId, ...padsOf(key), erasureId, readerIds]);
}

/** SQL: everything that may identify a visitor of site `$1`, in the form that is hashed. */
const NAMED = `
SELECT 'name' AS kind, original_id AS text FROM analytics.reader WHERE site_id = $1
UNION SELECT 'name', original_id FROM analytics.reader_state WHERE site_id = $1
UNION SELECT 'name', given FROM analytics.given_id WHERE site_id = $1 AND kind = 'reader_id'
UNION SELECT 'number', reader_id::text FROM analytics.page_view
       WHERE site_id = $1 AND named_by IN (${NAMED_BY.number}, ${NAMED_BY.address}, ${NAMED_BY.visit}, ${NAMED_BY.nothing})
UNION SELECT 'number', reader_id::text FROM analytics.waiting_row WHERE site_id = $1 AND reader_id IS NOT NULL`;

interface NamedVisitor {
  readonly kind: 'name' | 'number';
  readonly text: string;
  readonly digest: string;
}

/** Finds the site's visitors that have one of these hashes. */
export async function findByDigests(
  client: ClientBase,
  siteId: number,
  key: Buffer,
  digests: readonly string[],
): Promise<readonly NamedVisitor[]> {
  const { rows } = await client.query<NamedVisitor>(
    `SELECT kind, text, digest
       FROM (${NAMED}) n, LATERAL (SELECT encode(${DIGEST}, 'hex') AS digest OFFSET 0) d
      WHERE digest = ANY($4::text[])`,
    [siteId, ...padsOf(key), digests],
  );
  return rows;
}
