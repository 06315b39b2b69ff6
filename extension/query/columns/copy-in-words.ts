// Describes the column copy for the System page, the health check and the command line.
import { digitsOf } from '../../../host-shim/extension-api';
import type { SiteState } from '../../language/types/resolved-query';
import { differenceInWords } from './check-copied';
import type { ColumnsStatus, UnderWay } from './columns-status';
import type { FoundDifference } from './found-differences';

export function underWayInWords({ table, trackingId, rows, of }: UnderWay): string {
  return `${table} of ${trackingId}${of === undefined ? '' : `, ${digitsOf(rows)} of ${digitsOf(of)} rows`}`;
}

export const ageOf = (copied: string | undefined, present: string): 'none' | 'current' | 'behind' =>
  copied === undefined ? 'none' : copied === present ? 'current' : 'behind';

/** It names no site, so anyone may read it. */
export const stateInWords = ({ state, reason, underWay }: ColumnsStatus): string =>
  [state, reason, underWay && (underWay.of === undefined ? 'being updated' : 'being filled')]
    .filter((text) => text !== undefined)
    .join(': ');

/** `now` is in epoch seconds. */
export function describeCopy(
  status: ColumnsStatus,
  present: readonly SiteState[],
  now: number,
): readonly (readonly [title: string, text: string])[] {
  const { state, reason, bytes, rows, sites, underWay, lastFault, differences } = status;
  const ages = present.map(({ siteId, version }) =>
    ageOf(sites.find((site) => site.siteId === siteId)?.version, version),
  );
  const seconds = sites.map(({ copiedAt }) => Math.max(0, Math.round(now - copiedAt)));
  return [
    ['State', reason === undefined ? state : `${state}: ${reason}`],
    ['Size', `${(bytes / 1e6).toFixed(1)} MB, ${digitsOf(rows)} rows`],
    [
      'Sites',
      (['current', 'behind', 'none'] as const)
        .map((age) => `${ages.filter((it) => it === age).length} ${age === 'none' ? 'not copied' : age}`)
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
    ? `${digitsOf(newest)} s ago`
    : `${digitsOf(newest)} to ${digitsOf(oldest)} s ago, by site`;
}
