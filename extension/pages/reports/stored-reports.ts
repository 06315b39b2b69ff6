import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Accounts, HostUser } from '../../../host-shim/extension-api';
import type { Frequency, Period } from './report-period';

export const MOST_REPORTS = 100;
/** After the last one, the report is given up until the next period. */
export const MOST_ATTEMPTS = 8;
const FIRST_PAUSE_MINUTES = 5;
/** Between tests to a recipient, so that nobody can flood one. */
const TEST_PAUSE_MS = 60_000;

export interface Report {
  readonly id: number;
  readonly siteId: number;
  readonly trackingId: string;
  readonly site: string;
  readonly timezone: string;
  readonly userId: number;
  readonly login: string;
  readonly frequency: Frequency;
  readonly recipient: string;
  readonly token: string;
  /** YYYY-MM-DD */
  readonly covered: string;
  readonly nextAt: Date;
  readonly attempts: number;
  readonly sentAt: Date | null;
  readonly fault: string | null;
}

const REPORTS = 'analytics.report';

const COLUMNS = {
  id: 'r.report_id',
  siteId: 'r.site_id',
  trackingId: 's.tracking_id',
  site: 's.name',
  timezone: 's.timezone',
  userId: 'r.user_id',
  login: 'r.login',
  frequency: 'r.frequency',
  recipient: 'r.recipient',
  token: 'r.token',
  covered: 'r.covered',
  nextAt: 'r.next_at',
  attempts: 'r.attempts',
  sentAt: 'r.sent_at',
  fault: 'r.fault',
};

const reports = (write: Knex) =>
  write
    .from({ r: REPORTS })
    .join({ s: 'analytics.site' }, 's.site_id', 'r.site_id')
    .select<Report[]>(COLUMNS)
    .orderBy(['s.name', 'r.recipient', 'r.report_id']);

/** The user's own; all of them for users who manage accounts. */
export const listReports = (write: Knex, user: HostUser): Promise<readonly Report[]> =>
  user.capabilities.includes('edit_users') ? reports(write) : reports(write).where('r.user_id', user.id);

export const reportsWithFault = (write: Knex): Promise<readonly Report[]> =>
  reports(write).whereNotNull('r.fault');

export const dueReports = (write: Knex, now: Date): Promise<readonly Report[]> =>
  reports(write).where('r.next_at', '<=', now);

const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;

export async function findByToken(write: Knex, token: string): Promise<Report | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const [found] = await reports(write).where('r.token', token);
  return found;
}

export const deleteReport = (write: Knex, { id }: Pick<Report, 'id'>): Promise<number> =>
  write(REPORTS).where('report_id', id).delete();

interface NewReports extends Pick<Report, 'frequency' | 'siteId'> {
  readonly user: HostUser;
  readonly recipients: readonly string[];
  /** The first report is about the period after it. */
  readonly period: Period;
}

/** Locked per user, so that parallel requests cannot exceed the limit. */
const LIMIT_LOCK = 7_216_094;

/** Adds those that do not exist yet. */
export function addReports(
  write: Knex,
  accounts: Accounts,
  { user, recipients, siteId, frequency, period }: NewReports,
): Promise<'added' | 'full' | 'no-account'> {
  return write.transaction(async (transaction) => {
    if (!(await accounts.hold(transaction, user.id))) return 'no-account';
    await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [LIMIT_LOCK, user.id]);
    const own = await transaction(REPORTS).where('user_id', user.id).select('report_id');
    if (own.length + recipients.length > MOST_REPORTS) return 'full';
    const rows = recipients.map((recipient) => ({
      site_id: siteId,
      user_id: user.id,
      login: user.login,
      frequency,
      recipient,
      token: randomBytes(TOKEN_BYTES).toString('base64url'),
      covered: period.range.first,
      next_at: period.nextAt,
    }));
    await transaction(REPORTS).insert(rows).onConflict().ignore();
    return 'added';
  });
}

export const deleteReportsOf = (write: Knex, userId: number): Promise<number> =>
  write(REPORTS).where('user_id', userId).delete();

/** Whether this call is to send the report: of several servers, only one is. It counts as a failed attempt until it is done. */
export async function claimReport(write: Knex, { id, attempts }: Report, now: Date): Promise<boolean> {
  const pause = FIRST_PAUSE_MINUTES * 60_000 * 2 ** attempts;
  const claimed = await write(REPORTS)
    .where({ report_id: id, attempts })
    .where('next_at', '<=', now)
    .update({ attempts: attempts + 1, next_at: new Date(now.getTime() + pause), tried_at: now });
  return claimed === 1;
}

/** When this server last sent a test to a recipient: a report that was deleted and added again has no `tried_at`. */
const tests = new WeakMap<Knex, Map<string, number>>();

function isRested(write: Knex, recipient: string, now: number): boolean {
  const sent = tests.get(write) ?? new Map<string, number>();
  tests.set(write, sent);
  for (const [one, at] of sent) if (Math.abs(now - at) >= TEST_PAUSE_MS) sent.delete(one);
  const key = recipient.toLowerCase();
  if (sent.has(key)) return false;
  sent.set(key, now);
  return true;
}

/** Whether a test may be sent now. */
export async function claimTest(write: Knex, { id, recipient }: Report, now: Date): Promise<boolean> {
  const claimed = await write(REPORTS)
    .where('report_id', id)
    .where((never) =>
      never.whereNull('tried_at').orWhere('tried_at', '<=', new Date(now.getTime() - TEST_PAUSE_MS)),
    )
    .update({ tried_at: now });
  return claimed === 1 && isRested(write, recipient, now.getTime());
}

export const recordSent = (write: Knex, { id }: Report, now: Date): Promise<number> =>
  write(REPORTS).where('report_id', id).update({ sent_at: now, fault: null });

export const recordFault = (write: Knex, { id }: Report, fault: string): Promise<number> =>
  write(REPORTS).where('report_id', id).update({ fault });

/** Waits for the end of the next period. */
export const recordCovered = (write: Knex, { id }: Report, { range, nextAt }: Period): Promise<number> =>
  write(REPORTS).where('report_id', id).update({ covered: range.first, attempts: 0, next_at: nextAt });
