// How an application password may be weaker than its owner: until when, for which sites, from where, and how often.
import { Temporal } from 'temporal-polyfill';
import { addressRangeOf } from './address-ranges';

export interface KeyRestrictions {
  /** It works before this instant. null in any field: not restricted in this way. */
  readonly expiresAt: Date | null;
  /** Tracking ids. */
  readonly sites: readonly string[] | null;
  /** Ranges in CIDR notation, or single addresses. */
  readonly addressRanges: readonly string[] | null;
  /** Percentage of its owner's calls, 1 to 99. */
  readonly rateShare: number | null;
}

export const UNRESTRICTED: KeyRestrictions = {
  expiresAt: null,
  sites: null,
  addressRanges: null,
  rateShare: null,
};

export const isRestricted = ({ expiresAt, sites, addressRanges, rateShare }: KeyRestrictions): boolean =>
  expiresAt !== null || sites !== null || addressRanges !== null || rateShare !== null;

/** What a person or a program sent. Missing and empty fields restrict nothing. */
export interface TypedRestrictions {
  /** `2027-01-31` (to the end of that day) or `2027-01-31T12:00`, in the time zone of the facts; an offset or Z may follow. */
  readonly expires?: string | undefined;
  /** Tracking ids. */
  readonly sites?: readonly string[] | undefined;
  /** Addresses and ranges, separated by commas, spaces or lines. */
  readonly addresses?: string | undefined;
  /** A percentage. */
  readonly share?: string | undefined;
}

export interface RestrictionFacts {
  readonly now: Date;
  /** IANA name, for dates without an offset. */
  readonly timezone: string;
  /** The sites that its owner may see. */
  readonly sites: 'all' | readonly string[];
  /** All sites. */
  readonly known: readonly string[];
}

export type RestrictionFaults = Readonly<Partial<Record<keyof TypedRestrictions, string>>>;

type Reading<T> = { readonly value: T | null } | { readonly fault: string };

const MOST_RANGES = 50;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** No second 60, which would be stored as another second. */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:[0-5]\d(\.\d{1,9})?)?$/i;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;
/** Years of five digits are read and shown nowhere else. */
const LAST_END = Date.UTC(9999, 11, 31, 23, 59, 59);

function instantOf(text: string, timezone: string): Temporal.Instant | undefined {
  const local = { timeZone: timezone } as const;
  try {
    if (INSTANT.test(text)) return Temporal.Instant.from(text);
    if (LOCAL_TIME.test(text)) return Temporal.PlainDateTime.from(text).toZonedDateTime(timezone).toInstant();
    if (DATE.test(text))
      return Temporal.PlainDate.from(text).add({ days: 1 }).toZonedDateTime(local).toInstant();
  } catch {
    // No date of the calendar, such as 2027-02-30.
  }
  return undefined;
}

function readExpiry(typed: string, { now, timezone }: RestrictionFacts): Reading<Date> {
  const text = typed.trim();
  if (text === '') return { value: null };
  const instant = instantOf(text, timezone);
  if (instant === undefined)
    return { fault: `Write a date such as 2027-01-31 or 2027-01-31T12:00; "${text}" is neither.` };
  const expiresAt = new Date(instant.epochMilliseconds);
  if (expiresAt.getTime() > LAST_END)
    return {
      fault: `${text} is not before the year 10000 in UTC. Leave it out for no expiry.`,
    };
  return expiresAt > now ? { value: expiresAt } : { fault: `${text} is in the past.` };
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
      fault: `Write addresses like 192.0.2.7 or 2001:db8::7, and ranges like 10.0.0.0/8 or 2001:db8::/32; "${wrong}" is neither.`,
    };
  const ranges = [...new Set(parts.flatMap((part) => addressRangeOf(part) ?? []))];
  if (ranges.length > MOST_RANGES)
    return { fault: `At most ${MOST_RANGES} addresses and ranges are allowed.` };
  return { value: ranges };
}

function readShare(typed: string): Reading<number> {
  const text = typed.trim();
  if (text === '') return { value: null };
  const share = Number(text);
  if (/^\d{1,2}$/.test(text) && share >= 1) return { value: share };
  return { fault: `A share is a whole percentage from 1 to 99, or empty for all; "${text}" is neither.` };
}

/** Reads every field: the restrictions, or a sentence for each field that is wrong. */
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
