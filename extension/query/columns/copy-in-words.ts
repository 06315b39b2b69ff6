// The state of the column copy in words: for the page System, the health check and the command line.
import { digitsOf } from '../../../host-shim/extension-api';
import { differenceInWords } from './check-copied';
import type { ColumnsStatus, UnderWay } from './columns-status';
import type { FoundDifference } from './found-differences';

type Line = readonly [title: string, text: string];

/** A site as PostgreSQL has it. */
export interface PresentSite {
  readonly siteId: number;
  readonly version: string;
}

const MB = 1e6;

const sizeOf = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;

/** `page_view of shop, 1,000 of 20,000 rows`. */
export function underWayInWords({ table, trackingId, rows, of }: UnderWay): string {
  return `${table} of ${trackingId}${of === undefined ? '' : `, ${digitsOf(rows)} of ${digitsOf(of)} rows`}`;
}

/** How new the copy of a site is; undefined = not copied. */
export const ageOf = (copied: string | undefined, present: string): 'none' | 'current' | 'behind' =>
  copied === undefined ? 'none' : copied === present ? 'current' : 'behind';

/** One line that anybody may read: it names no site. */
export const stateInWords = ({ state, reason, underWay }: ColumnsStatus): string =>
  [state, reason, underWay && (underWay.of === undefined ? 'being brought up to date' : 'being filled')]
    .filter((text) => text !== undefined)
    .join(': ');

/** Everything, in lines. `now` in epoch seconds. */
export function describeCopy(
  status: ColumnsStatus,
  present: readonly PresentSite[],
  now: number,
): readonly Line[] {
  const { state, reason, bytes, rows, sites, underWay, lastFault, differences } = status;
  const ages = present.map(({ siteId, version }) =>
    ageOf(sites.find((site) => site.siteId === siteId)?.version, version),
  );
  const seconds = sites.map(({ copiedAt }) => Math.max(0, Math.round(now - copiedAt)));
  return [
    ['State', reason === undefined ? state : `${state}: ${reason}`],
    ['Size', `${sizeOf(bytes)}, ${digitsOf(rows)} rows`],
    [
      'Sites',
      (['current', 'behind', 'none'] as const)
        .map((age) => `${ages.filter((it) => it === age).length} ${age === 'none' ? 'not copied' : age}`)
        .join(', '),
    ],
    ['Last copied', sites.length === 0 ? 'never' : agesInWords(seconds)],
    ['Under way', underWay === undefined ? 'nothing' : underWayInWords(underWay)],
    ['Last fault', lastFault === undefined ? 'none' : `${lastFault.at}: ${lastFault.reason}`],
    ['Audited', status.auditedAt ?? 'not yet'],
    ['Differences', differences.length === 0 ? 'none' : differences.map(differenceLine).join('; ')],
  ];
}

const differenceLine = (one: FoundDifference): string =>
  `${one.at}: ${one.trackingId}, ${differenceInWords(one)}, found by ${one.foundBy}${one.isLeftToRows ? '; rows answer' : ''}`;

/** A site is copied when its data have changed. */
function agesInWords(seconds: readonly number[]): string {
  const [newest, oldest] = [Math.min(...seconds), Math.max(...seconds)];
  return newest === oldest
    ? `${digitsOf(newest)} s ago`
    : `${digitsOf(newest)} to ${digitsOf(oldest)} s ago, by site`;
}
