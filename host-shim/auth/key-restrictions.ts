// What a key may do less than its owner: until when, for which sites, from where, and how often.
// Typed text -> KeyRestrictions, or a sentence for each field that is wrong. null = not restricted in this way.
import { Temporal } from 'temporal-polyfill';
import { addressRangeOf } from './address-ranges';

export interface KeyRestrictions {
  /** The key works before this instant. */
  readonly expiresAt: Date | null;
  /** Tracking ids. */
  readonly sites: readonly string[] | null;
  /** In CIDR notation, or single addresses. */
  readonly addressRanges: readonly string[] | null;
  /** Per cent of its owner's calls, 1 to 99. */
  readonly rateShare: number | null;
}

export const UNRESTRICTED: KeyRestrictions = {
  expiresAt: null,
  sites: null,
  addressRanges: null,
  rateShare: null,
};

/** Whether the key can do less than its owner in any way. */
export const isRestricted = ({ expiresAt, sites, addressRanges, rateShare }: KeyRestrictions): boolean =>
  expiresAt !== null || sites !== null || addressRanges !== null || rateShare !== null;

/** What a person or a program typed. What is missing or empty restricts nothing. */
export interface TypedRestrictions {
  /** `2027-01-31` (that day still counts) or `2027-01-31T12:00`, both in `timezone`; an offset or Z may follow. */
  readonly expires?: string | undefined;
  /** Tracking ids; an empty list is none typed. */
  readonly sites?: readonly string[] | undefined;
  /** Addresses and ranges, separated by commas, spaces or lines. */
  readonly addresses?: string | undefined;
  /** Per cent. */
  readonly share?: string | undefined;
}

export interface RestrictionFacts {
  readonly now: Date;
  /** The clock of a date without an offset: an IANA name. */
  readonly timezone: string;
  /** What the owner of the key may see. */
  readonly sites: 'all' | readonly string[];
  /** The sites that there are. */
  readonly known: readonly string[];
}

export type RestrictionFaults = Readonly<Partial<Record<keyof TypedRestrictions, string>>>;

type Reading<T> = { readonly value: T | null } | { readonly fault: string };

const MOST_RANGES = 50;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** No second 60: calendars here have none, and it would be kept as another second. */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:[0-5]\d(\.\d{1,9})?)?$/i;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;
/** Later ones have years of five digits, which nothing else here reads or shows. */
const LAST_END = Date.UTC(9999, 11, 31, 23, 59, 59);

function instantOf(text: string, timezone: string): Temporal.Instant | undefined {
  const local = { timeZone: timezone } as const;
  try {
    if (INSTANT.test(text)) return Temporal.Instant.from(text);
    if (LOCAL_TIME.test(text)) return Temporal.PlainDateTime.from(text).toZonedDateTime(timezone).toInstant();
    if (DATE.test(text))
      return Temporal.PlainDate.from(text).add({ days: 1 }).toZonedDateTime(local).toInstant();
  } catch {
    // A date that is in no calendar: 2027-02-30.
  }
  return undefined;
}

function readExpiry(typed: string, { now, timezone }: RestrictionFacts): Reading<Date> {
  const text = typed.trim();
  if (text === '') return { value: null };
  const instant = instantOf(text, timezone);
  if (instant === undefined)
    return { fault: `An end is a date such as 2027-01-31, or 2027-01-31T12:00; "${text}" is not.` };
  const expiresAt = new Date(instant.epochMilliseconds);
  if (expiresAt.getTime() > LAST_END)
    return {
      fault: `An end lies before the year 10000, in UTC too; ${text} does not. Leave it out for no end.`,
    };
  return expiresAt > now ? { value: expiresAt } : { fault: `${text} is over already; an end lies ahead.` };
}

function readSites(typed: readonly string[], { sites, known }: RestrictionFacts): Reading<readonly string[]> {
  const wanted = [...new Set(typed.map((id) => id.trim()))];
  if (wanted.length === 0) return { value: null };
  if (wanted.includes('')) return { fault: 'A site is named by its id, and one name is empty.' };
  const own = known.filter((id) => sites === 'all' || sites.includes(id));
  const unknown = wanted.filter((id) => !own.includes(id));
  if (unknown.length === 0) return { value: wanted };
  return {
    fault: `There is no site ${unknown.join(', ')} that this account may see; it sees ${own.join(', ') || 'none'}.`,
  };
}

function readAddresses(typed: string): Reading<readonly string[]> {
  if (typed.trim() === '') return { value: null };
  const parts = typed.split(/[\s,;]+/).filter(Boolean);
  if (parts.length === 0) return { fault: `There is no address in "${typed.trim()}".` };
  const wrong = parts.find((part) => addressRangeOf(part) === undefined);
  if (wrong !== undefined)
    return {
      fault: `An address is 192.0.2.7 or 2001:db8::7, a range 10.0.0.0/8 or 2001:db8::/32; "${wrong}" is neither.`,
    };
  const ranges = [...new Set(parts.flatMap((part) => addressRangeOf(part) ?? []))];
  if (ranges.length > MOST_RANGES)
    return { fault: `At most ${MOST_RANGES} addresses and ranges can be given.` };
  return { value: ranges };
}

function readShare(typed: string): Reading<number> {
  const text = typed.trim();
  if (text === '') return { value: null };
  const share = Number(text);
  if (/^\d{1,2}$/.test(text) && share >= 1) return { value: share };
  return { fault: `A share is a whole number of per cent from 1 to 99, or empty for all; "${text}" is not.` };
}

/** Reads what was typed. `sites` may name only what the owner sees of what there is. */
export function readRestrictions(
  typed: TypedRestrictions,
  told: RestrictionFacts,
):
  | { readonly ok: true; readonly restrictions: KeyRestrictions }
  | { readonly ok: false; readonly faults: RestrictionFaults } {
  const expires = readExpiry(typed.expires ?? '', told);
  const sites = readSites(typed.sites ?? [], told);
  const addresses = readAddresses(typed.addresses ?? '');
  const share = readShare(typed.share ?? '');
  if ('fault' in expires || 'fault' in sites || 'fault' in addresses || 'fault' in share) {
    const faults = Object.entries({ expires, sites, addresses, share }).flatMap(([field, reading]) =>
      'fault' in reading ? [[field, reading.fault] as const] : [],
    );
    return { ok: false, faults: Object.fromEntries(faults) };
  }
  return {
    ok: true,
    restrictions: {
      expiresAt: expires.value,
      sites: sites.value,
      addressRanges: addresses.value,
      rateShare: share.value,
    },
  };
}
