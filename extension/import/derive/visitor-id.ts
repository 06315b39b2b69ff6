// The visitor behind an address and a user agent: a hash under a secret of the site, so that neither can be found from it, and
// the same file gives the same visitors again.
import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LAST_GIVEN_ID } from '../generated-ids';

/** How long an address and user agent mean the same visitor: a local day or month, or always. */
export const VISITOR_PERIODS = ['day', 'month', 'always'] as const;
export type VisitorPeriod = (typeof VISITOR_PERIODS)[number];

export interface VisitorRules {
  readonly secret: Buffer;
  readonly period: VisitorPeriod;
  readonly timezone: string;
}

const VISITORS = 100_000;
const HOURS = 10_000;

/** A reader of visitors: address, user agent, and time in epoch seconds -> an id that a file may give. */
export function visitorReader({
  secret,
  period,
  timezone,
}: VisitorRules): (ip: string, agent: string, at: number) => number {
  const ids = new LRUCache<string, number>({ max: VISITORS });
  const periodOf = period === 'always' ? () => '' : periodReader(timezone, period === 'day' ? 10 : 7);
  return (ip, agent, at) => {
    const key = `${periodOf(at)} ${ip} ${agent}`;
    let id = ids.get(key);
    if (id === undefined) {
      const digest = createHmac('sha256', secret).update(key).digest();
      id = ((digest.readUIntBE(0, 6) * 16 + ((digest[6] ?? 0) >> 4)) % LAST_GIVEN_ID) + 1;
      ids.set(key, id);
    }
    return id;
  };
}

/** The beginning of the local date. Zones change their offset at most on the quarter of an hour. */
function periodReader(timezone: string, length: number): (at: number) => string {
  const QUARTER = 900;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  const quarters = new LRUCache<number, string>({ max: HOURS });
  return (at) => {
    const quarter = Math.floor(at / QUARTER);
    let date = quarters.get(quarter);
    if (date === undefined) {
      date = format.format(quarter * QUARTER * 1000).slice(0, length);
      quarters.set(quarter, date);
    }
    return date;
  };
}
