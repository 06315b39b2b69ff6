// The status of the copy. The server saves it in the copy's folder, where commands read it and leave requests.
import { access, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { formatCount, type ReadPool } from '../../../host-shim/extension-api';
import type { Workers } from '../../data/storage/workers';
import type { SiteState } from '../../language/types/resolved-query';
import { differenceInWords } from './check-copied';
import { OBSTACLES } from './column-file-error';
import { type FoundDifference, foundDifference } from './found-differences';

const underWaySchema = z.object({
  trackingId: z.string(),
  table: z.string(),
  rows: z.number(),
  /** The total number of the site's rows, during a full copy. */
  of: z.number().optional(),
});
export type UnderWay = z.infer<typeof underWaySchema>;

const statusSchema = z.object({
  state: z.enum(['opening', 'ready', 'unavailable', 'stopped']),
  /** Why the copy is unavailable, as a sentence. */
  reason: z.string().optional(),
  obstacle: z.enum(OBSTACLES).optional(),
  sites: z
    .array(z.object({ siteId: z.number(), version: z.string(), number: z.number(), copiedAt: z.number() }))
    .readonly(),
  bytes: z.number(),
  rows: z.number(),
  /** Whether the stored counts of distinct values cover all rows. */
  isCounted: z.boolean().default(false),
  underWay: underWaySchema.optional(),
  lastFault: z.object({ at: z.iso.datetime(), reason: z.string() }).optional(),
  auditedAt: z.iso.datetime().optional(),
  differences: z.array(foundDifference).readonly().default([]),
});
export type ColumnsStatus = z.infer<typeof statusSchema>;

export const STATUS_FILE = 'status.json';

export async function readSavedStatus(folder: string): Promise<ColumnsStatus | undefined> {
  const text = await readFile(join(folder, STATUS_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : statusSchema.parse(JSON.parse(text));
}

/** Returns a function that writes the status if it has changed. Ignores write errors, because opening the copy reports them. */
export function statusWriter(folder: string): (status: ColumnsStatus) => Promise<void> {
  const file = join(folder, STATUS_FILE);
  let written = '';
  let writtenSites: ColumnsStatus['sites'] | undefined;
  return async ({ sites, ...status }) => {
    const text = JSON.stringify(status);
    // The array is replaced whenever a site changes; comparing thousands of sites would be slow.
    if (text === written && sites === writtenSites) return;
    written = text;
    writtenSites = sites;
    await writeFile(`${file}.new`, JSON.stringify({ ...status, sites }))
      .then(() => rename(`${file}.new`, file))
      .catch(() => {});
  };
}

/** A file with this name in the copy's folder requests a new copy. */
export const REBUILD_REQUEST = 'rebuild';

export const isRebuildRequested = (folder: string): Promise<boolean> =>
  access(join(folder, REBUILD_REQUEST)).then(
    () => true,
    () => false,
  );

interface SiteLag {
  readonly trackingId: string;
  /** Age of the oldest change that is missing from the copy, by the database's clock. */
  readonly seconds: number;
}

export const copyLag = (
  read: ReadPool,
  { sites }: Pick<ColumnsStatus, 'sites'>,
  { isAway }: Pick<Workers, 'isAway'>,
): Promise<SiteLag[]> => {
  const known = sites.filter(({ siteId }) => !isAway(siteId));
  return read.query<SiteLag>({
    text: `SELECT tracking_id AS "trackingId", coalesce(extract(epoch FROM now() - min(c.changed_at)), 0)::float8 AS seconds
             FROM analytics.site s JOIN (SELECT * FROM analytics.site_version WHERE site_id = ANY($1)) v USING (site_id)
             JOIN unnest($1::int[], $2::uuid[], $3::bigint[]) copied (site_id, version, number) USING (site_id)
             LEFT JOIN analytics.change c ON c.site_id = v.site_id AND c.data_version > copied.number
            WHERE v.token <> copied.version GROUP BY tracking_id ORDER BY 1`,
    values: [
      known.map(({ siteId }) => siteId),
      known.map(({ version }) => version),
      known.map(({ number }) => number),
    ],
  });
};

export function underWayInWords({ table, trackingId, rows, of }: UnderWay): string {
  return `${table} of ${trackingId}${of === undefined ? '' : `, ${formatCount(rows)} of ${formatCount(of)} rows`}`;
}

export const ageOf = (copied: string | undefined, present: string): 'none' | 'current' | 'behind' =>
  copied === undefined ? 'none' : copied === present ? 'current' : 'behind';

/** The state without site names, so that anyone may read it. */
export const stateInWords = ({ state, reason, underWay }: ColumnsStatus): string =>
  [state, reason, underWay && (underWay.of === undefined ? 'being updated' : 'being filled')]
    .filter((text) => text !== undefined)
    .join(': ');

/** `now` is in epoch seconds. */
export function describeCopy(
  status: ColumnsStatus,
  present: readonly SiteState[],
  now: number,
  away: Workers['away'],
): readonly (readonly [title: string, text: string])[] {
  const { state, reason, bytes, rows, sites, underWay, lastFault, differences } = status;
  const ages = present.map(({ siteId, version }) =>
    ageOf(sites.find((site) => site.siteId === siteId)?.version, version),
  );
  const awaySites = away.flatMap((one) => one.sites).length;
  const seconds = sites.map(({ copiedAt }) => Math.max(0, Math.round(now - copiedAt)));
  return [
    ['State', reason === undefined ? state : `${state}: ${reason}`],
    ['Size', `${(bytes / 1e6).toFixed(1)} MB, ${formatCount(rows)} rows`],
    [
      'Sites',
      (['current', 'behind', 'none'] as const)
        .map((age) => `${ages.filter((it) => it === age).length} ${age === 'none' ? 'not copied' : age}`)
        .concat(awaySites === 0 ? [] : [`${awaySites} unknown: the worker does not respond`])
        .join(', '),
    ],
    ['Last copied', sites.length === 0 ? 'never' : agesInWords(seconds)],
    ['In progress', underWay === undefined ? 'nothing' : underWayInWords(underWay)],
    ['Last fault', lastFault === undefined ? 'none' : `${lastFault.at}: ${lastFault.reason}`],
    ['Audited', status.auditedAt ?? 'not yet'],
    ['Differences', differences.length === 0 ? 'none' : differences.map(differenceLine).join('; ')],
  ];
}

const differenceLine = (one: FoundDifference): string =>
  `${one.at}: ${one.trackingId}, ${differenceInWords(one)}, found by ${one.foundBy}${one.isLeftToRows ? '; answered from rows' : ''}`;

function agesInWords(seconds: readonly number[]): string {
  const [newest, oldest] = [Math.min(...seconds), Math.max(...seconds)];
  return newest === oldest
    ? `${formatCount(newest)} s ago`
    : `${formatCount(newest)} to ${formatCount(oldest)} s ago, depending on the site`;
}
