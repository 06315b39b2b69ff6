import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';
import type { KeyLevel } from '../extension-api';
import { addressRangeOf } from './address-ranges';
import { manages } from './key-levels';

export interface KeyRestrictions {
  /** Exclusive. In every field, null means no restriction. */
  readonly expiresAt: Date | null;
  /** Tracking ids. */
  readonly sites: readonly string[] | null;
  /** Ranges in CIDR notation, or single addresses. */
  readonly addressRanges: readonly string[] | null;
  /** Percentage of the owner's rate limit, 1 to 99. */
  readonly rateShare: number | null;
  /** Only `read` or `import` if there is any other restriction: the password must not be able to create an unrestricted one. */
  readonly level: KeyLevel;
}

export const UNRESTRICTED: KeyRestrictions = {
  expiresAt: null,
  sites: null,
  addressRanges: null,
  rateShare: null,
  level: 'all',
};

/** Ignores the level. */
export const isRestricted = ({
  expiresAt,
  sites,
  addressRanges,
  rateShare,
}: Omit<KeyRestrictions, 'level'>): boolean =>
  expiresAt !== null || sites !== null || addressRanges !== null || rateShare !== null;

/** Unchecked input. Missing and empty fields mean no restriction. */
interface TypedRestrictions {
  /** `2027-01-31` (to the end of that day) or `2027-01-31T12:00`, in the given time zone unless it has an offset or Z. */
  readonly expires?: string | undefined;
  /** Tracking ids. */
  readonly sites?: readonly string[] | undefined;
  /** Addresses and ranges, separated by commas, spaces or line breaks. */
  readonly addresses?: string | undefined;
  readonly share?: string | undefined;
  /** Default: as in WordPress, everything that can be assigned; with restrictions, `read`. */
  readonly level?: string | undefined;
}

export interface RestrictionFacts {
  readonly now: Date;
  /** IANA name, for dates without an offset. */
  readonly timezone: string;
  readonly sites: 'all' | readonly string[];
  readonly known: readonly string[];
  /** The levels that the creator can assign. */
  readonly levels: readonly KeyLevel[];
}

export type RestrictionFaults = Readonly<Partial<Record<keyof TypedRestrictions, string>>>;

const NOT_ALL =
  'A restricted password cannot do everything. Clear the restrictions, or choose another level.';
const MAX_RANGES = 50;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Second 60 is rejected, because it would be stored as a different second. */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:[0-5]\d(\.\d{1,9})?)?$/i;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;
/** Five-digit years are not supported elsewhere. */
const LATEST_EXPIRY = Date.UTC(9999, 11, 31, 23, 59, 59);

function instantOf(text: string, timezone: string): Temporal.Instant | undefined {
  const local = { timeZone: timezone } as const;
  try {
    if (INSTANT.test(text)) return Temporal.Instant.from(text);
    if (LOCAL_TIME.test(text)) return Temporal.PlainDateTime.from(text).toZonedDateTime(timezone).toInstant();
    if (DATE.test(text))
      return Temporal.PlainDate.from(text).add({ days: 1 }).toZonedDateTime(local).toInstant();
  } catch {
    // The date does not exist, such as 2027-02-30.
  }
  return undefined;
}

const typedSchema = ({ now, timezone, sites, known, levels }: RestrictionFacts) =>
  z.object({
    level: z.string().transform((text, context) => {
      if (text === '') return null;
      const level = levels.find((one) => one === text);
      if (level === undefined)
        context.addIssue(
          `"${text}" is not one of the levels that can be assigned here: ${levels.join(', ')}.`,
        );
      return level ?? null;
    }),
    expires: z.string().transform((typed, context) => {
      const text = typed.trim();
      if (text === '') return null;
      const instant = instantOf(text, timezone);
      if (instant === undefined)
        context.addIssue(`Write a date such as 2027-01-31 or 2027-01-31T12:00; "${text}" is neither.`);
      else if (instant.epochMilliseconds > LATEST_EXPIRY)
        context.addIssue(`${text} is not before the year 10000 in UTC. Leave it out for no expiry.`);
      else if (instant.epochMilliseconds <= now.getTime()) context.addIssue(`${text} is in the past.`);
      else return new Date(instant.epochMilliseconds);
      return null;
    }),
    sites: z.array(z.string()).transform((typed, context) => {
      const requested = [...new Set(typed.map((id) => id.trim()))];
      const allowed = known.filter((id) => sites === 'all' || sites.includes(id));
      const unknown = requested.filter((id) => !allowed.includes(id));
      if (requested.includes('')) context.addIssue('One of the site ids is empty.');
      else if (unknown.length > 0)
        context.addIssue(
          `This account has no access to ${unknown.join(', ')}; it has access to ${allowed.join(', ') || 'no site'}.`,
        );
      return requested.length === 0 ? null : requested;
    }),
    addresses: z.string().transform((typed, context) => {
      if (typed.trim() === '') return null;
      const parts = typed.split(/[\s,;]+/).filter(Boolean);
      const wrong = parts.find((part) => addressRangeOf(part) === undefined);
      const ranges = [...new Set(parts.flatMap((part) => addressRangeOf(part) ?? []))];
      if (parts.length === 0) context.addIssue(`There is no address in "${typed.trim()}".`);
      else if (wrong !== undefined)
        context.addIssue(
          `Write addresses like 192.0.2.7 or 2001:db8::7, and ranges like 10.0.0.0/8 or 2001:db8::/32; "${wrong}" is neither.`,
        );
      else if (ranges.length > MAX_RANGES)
        context.addIssue(`At most ${MAX_RANGES} addresses and ranges are allowed.`);
      return ranges;
    }),
    share: z.string().transform((typed, context) => {
      const text = typed.trim();
      if (text === '') return null;
      if (!/^0?[1-9]$|^[1-9]\d$/.test(text))
        context.addIssue(
          `A share is a whole percentage from 1 to 99, or empty for all; "${text}" is neither.`,
        );
      return Number(text);
    }),
  });

/** Returns the restrictions, or a message for each invalid field. */
export function readRestrictions(
  { expires = '', sites = [], addresses = '', share = '', level = '' }: TypedRestrictions,
  facts: RestrictionFacts,
):
  | { readonly ok: true; readonly restrictions: KeyRestrictions }
  | { readonly ok: false; readonly faults: RestrictionFaults } {
  const { data, error } = typedSchema(facts).safeParse({ expires, sites, addresses, share, level });
  if (data === undefined)
    return {
      ok: false,
      faults: Object.fromEntries(error.issues.map(({ path: [field], message }) => [field, message])),
    };
  const restrictions = {
    expiresAt: data.expires,
    sites: data.sites,
    addressRanges: data.addresses,
    rateShare: data.share,
  };
  const restricted = isRestricted(restrictions);
  if (restricted && data.level !== null && manages(data.level))
    return { ok: false, faults: { level: NOT_ALL } };
  const defaultLevel = restricted ? 'read' : facts.levels.includes('all') ? 'all' : 'manage';
  return { ok: true, restrictions: { ...restrictions, level: data.level ?? defaultLevel } };
}
