// Identifies a visitor by a hash of the IP address and user agent, keyed with the site's secret, so that neither can be
// recovered, and the same file always yields the same visitors.

import { countAfter, idOfText } from '../../rows/generated-ids';
import type { VisitorPeriod } from '../../storage/sites/import-rules';
import { memoized, recentTexts } from '../bounded-maps';

export interface VisitorRules {
  readonly secret: Buffer;
  readonly period: VisitorPeriod;
  readonly timezone: string;
}

const VISITORS = 60_000;
const AGENTS = 20_000;

/**
 * Returns a function that takes an address, a user agent and a time in epoch seconds, and returns a visitor id in the same
 * range as the ids that files contain.
 */
export function visitorReader({
  secret,
  period,
  timezone,
}: VisitorRules): (ip: string, agent: string, at: number) => number {
  // Only part of the hash is public, so a length extension attack is impossible.
  const prefix = secret.toString('hex');
  const ids = recentTexts<number>(VISITORS);
  // User agents are numbered to keep the keys short.
  const numberOf = memoized(AGENTS, countAfter(0));
  const periodOf = period === 'always' ? () => '' : periodReader(timezone, period === 'day' ? 10 : 7);
  return (ip, agent, at) => {
    const key = `${periodOf(at)} ${ip} ${numberOf(agent)}`;
    let id = ids.get(key);
    if (id === undefined) {
      id = idOfText(`${prefix}${periodOf(at)} ${ip} ${agent}`);
      ids.set(key, id);
    }
    return id;
  };
}

/**
 * Returns a function that converts epoch seconds to the first `length` characters of the local date. UTC offsets change only on
 * the quarter hour.
 */
function periodReader(timezone: string, length: number): (at: number) => string {
  const QUARTER = 900;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  // Most files are in chronological order.
  let last = Number.NaN;
  let date = '';
  return (at) => {
    const quarter = Math.floor(at / QUARTER);
    if (quarter !== last) date = format.format(quarter * QUARTER * 1000).slice(0, length);
    last = quarter;
    return date;
  };
}
