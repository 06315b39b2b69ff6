// Stores how far each followed log has been read, and which parts were rotated away before they could be read.
import type { ClientBase } from 'pg';
import type { ReadPool } from '../../../host-shim/extension-api';
import type { FollowState, KnownFile } from './known-files';
import type { Mark } from './log-files';

type Client = Pick<ClientBase, 'query'>;

export interface FollowedKey {
  readonly siteId: number;
  readonly material: string;
  readonly path: string;
}

export async function storedState(
  client: Client,
  { siteId, material, path }: FollowedKey,
): Promise<FollowState | undefined> {
  const { rows } = await client.query<{ since: string; files: readonly KnownFile[] }>(
    'SELECT since::text AS since, files FROM analytics.followed_file WHERE site_id = $1 AND material = $2 AND path = $3',
    [siteId, material, path],
  );
  const [found] = rows;
  return found && { since: BigInt(found.since), files: found.files };
}

export async function storeState(
  client: Client,
  { siteId, material, path }: FollowedKey,
  { since, files }: FollowState,
): Promise<void> {
  await client.query(
    `INSERT INTO analytics.followed_file (site_id, material, path, since, files) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (site_id, material, path) DO UPDATE SET since = $4, files = $5`,
    [siteId, material, path, since, JSON.stringify(files)],
  );
}

/**
 * Records the gap after a mark. `options` are the options of the command that followed the log, which are also needed to import
 * the gap.
 */
export async function storeGap(
  client: Client,
  { siteId, material, path }: FollowedKey,
  mark: Mark,
  { options, foundAt }: { readonly options: string; readonly foundAt: Date },
): Promise<void> {
  await client.query(
    `INSERT INTO analytics.follow_gap (site_id, material, path, head, tail, position, options, found_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [siteId, material, path, mark.head, mark.tail, mark.position, options, foundAt],
  );
}

interface OpenGap extends Mark {
  readonly gapId: number;
  readonly trackingId: string;
  readonly material: string;
  readonly path: string;
  readonly options: string;
  readonly foundAt: Date;
}

/** The gaps that are neither imported nor closed, oldest first. */
export function openGaps(read: ReadPool): Promise<OpenGap[]> {
  return read.query<OpenGap>({
    text: `SELECT g.gap_id AS "gapId", s.tracking_id AS "trackingId", g.material, g.path, g.head, g.tail,
                  g.position::float8 AS position, g.options, g.found_at AS "foundAt"
             FROM analytics.follow_gap g JOIN analytics.site s USING (site_id) WHERE g.closed_at IS NULL ORDER BY g.gap_id`,
    values: [],
  });
}

/** Closes a gap. Returns false if it is not open. */
export async function closeGap(client: Client, gapId: number, closedAt: Date): Promise<boolean> {
  const { rowCount } = await client.query(
    'UPDATE analytics.follow_gap SET closed_at = $2 WHERE gap_id = $1 AND closed_at IS NULL',
    [gapId, closedAt],
  );
  return rowCount === 1;
}

/** The command that imports a gap; FILE is the file in which the user found it. */
export const gapCommand = ({ gapId, options }: OpenGap): string =>
  `qal import ${options} --gap ${gapId} FILE`;
