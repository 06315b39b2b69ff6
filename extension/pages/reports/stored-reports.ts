import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Accounts, HostUser } from '../../../host-shim/extension-api';
import { lockLimit } from '../../data/storage/advisory-locks';
import type { Frequency, Period } from './report-period';
import { changeBy, type ReportEvent, type ReportState } from './report-state';

export const MAX_REPORTS = 100;
/** The minimum pause between tests sent to the same recipient, so that tests cannot flood a recipient. */
const TEST_PAUSE_SECONDS = 60;

export interface Report extends ReportState {
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

/** The user's own reports, or all reports for users who manage accounts. */
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
  /** The period before the one that the first report covers. */
  readonly period: Period;
}

/** Adds the reports that do not exist yet. */
export function addReports(
  write: Knex,
  accounts: Accounts,
  { user, recipients, siteId, frequency, period }: NewReports,
): Promise<'added' | 'full' | 'no-account'> {
  return write.transaction(async (transaction) => {
    if (!(await accounts.hold(transaction, user.id))) return 'no-account';
    await lockLimit(transaction, user.id);
    const own = await reports(transaction).where('r.user_id', user.id);
    const same = own.filter((one) => one.siteId === siteId && one.frequency === frequency);
    const known = new Set(same.map(({ recipient }) => recipient.toLowerCase()));
    const added = new Set(recipients.map((one) => one.toLowerCase()).filter((one) => !known.has(one)));
    if (own.length + added.size > MAX_REPORTS) return 'full';
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

/**
 * Returns the report after the event. Changes nothing and returns undefined if another server has begun to send the report, or if
 * it was deleted.
 */
export async function recordEvent(
  write: Knex,
  report: Report,
  event: ReportEvent,
  now: Date,
): Promise<Report | undefined> {
  const change = changeBy(event, report, now);
  const { covered, attempts, fault, nextAt: next_at, sentAt: sent_at } = change;
  const changed = await write(REPORTS)
    .where({ report_id: report.id, covered: report.covered, attempts: report.attempts })
    .update({ covered, attempts, fault, next_at, sent_at });
  return changed === 1 ? { ...report, ...change } : undefined;
}

/** Deletes records of tests whose pause is over, and records dated in the future, which exist if the clock was set back. */
export const forgetTests = (write: Knex, now: Date): Promise<number> =>
  write('analytics.report_test')
    .whereRaw('abs(extract(epoch FROM sent_at - ?::timestamptz)) >= ?', [now, TEST_PAUSE_SECONDS])
    .delete();

/** Returns whether a test may be sent to the recipient now, and if so, records it. */
export async function claimTest(write: Knex, recipient: string, now: Date): Promise<boolean> {
  await forgetTests(write, now);
  const row = { recipient: recipient.toLowerCase(), sent_at: now };
  const tests = write('analytics.report_test');
  const claimed = await tests.insert(row).onConflict().ignore().returning('recipient');
  return claimed.length === 1;
}
