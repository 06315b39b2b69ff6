// The visitor behind an address and a user agent: a hash under a secret of the site, so that neither can be found from it, and
// the same file gives the same visitors again.
import type { VisitorPeriod } from '../../storage/sites/import-rules';
import { recentTexts } from '../bounded-maps';
import { idOfText } from '../generated-ids';

export interface VisitorRules {
  readonly secret: Buffer;
  readonly period: VisitorPeriod;
  readonly timezone: string;
}

const VISITORS = 60_000;
const AGENTS = 20_000;

/** A reader of visitors: address, user agent, and time in epoch seconds -> an id that a file may give. */
export function visitorReader({
  secret,
  period,
  timezone,
}: VisitorRules): (ip: string, agent: string, at: number) => number {
  // Of the hash only a part is known to others, so nobody can go on hashing where this ends.
  const prefix = secret.toString('hex');
  const ids = recentTexts<number>(VISITORS);
  // Numbers make short keys.
  const agents = recentTexts<number>(AGENTS);
  let lastAgent = 0;
  const numberOf = (agent: string): number => {
    const known = agents.get(agent);
    if (known !== undefined) return known;
    lastAgent += 1;
    agents.set(agent, lastAgent);
    return lastAgent;
  };
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

/** The beginning of the local date. Zones change their offset at most on the quarter of an hour. */
function periodReader(timezone: string, length: number): (at: number) => string {
  const QUARTER = 900;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  // Files are mostly in the order of time.
  let last = Number.NaN;
  let date = '';
  return (at) => {
    const quarter = Math.floor(at / QUARTER);
    if (quarter !== last) date = format.format(quarter * QUARTER * 1000).slice(0, length);
    last = quarter;
    return date;
  };
}
