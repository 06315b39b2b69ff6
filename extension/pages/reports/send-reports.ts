import { type HostUser, messageOf } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites } from '../../data/storage/sites/list-sites';
import { mailOf, webhookOf } from './report-message';
import { readNumbers } from './report-numbers';
import { lastPeriod, type Period } from './report-period';
import { dueReports, findByToken, forgetTests, type Report, recordEvent } from './stored-reports';

export const isWebhook = (recipient: string): boolean => /^https?:\/\//i.test(recipient);

/** A webhook's URL may point into the server's network, so only administrators can add webhooks. */
export const mayReport = ({ capabilities }: HostUser, recipient: string): boolean =>
  capabilities.includes(isWebhook(recipient) ? 'manage_options' : 'read');

/** Sends each report that is due. If several servers do this at the same time, each report is sent by only one of them. */
export async function sendDueReports(analytics: Analytics, signal: AbortSignal): Promise<void> {
  const { clock, database } = analytics.host;
  await forgetTests(database.write, clock());
  for (const report of await dueReports(database.write, clock())) {
    if (signal.aborted) return;
    const period = lastPeriod(report.frequency, clock(), report.timezone);
    const isNew = report.covered < period.range.first;
    const event = { kind: isNew ? 'begun' : 'skipped', period } as const;
    const begun = await recordEvent(database.write, report, event, clock());
    if (begun !== undefined && isNew) await sendReport(analytics, begun, { kind: 'sent', period }, signal);
  }
}

/**
 * On success, records `sent`; on failure, records `failed` unless `signal` was aborted. Returns why the report could not be sent;
 * undefined if it was sent.
 */
export async function sendReport(
  analytics: Analytics,
  report: Report,
  sent: { readonly kind: 'sent' | 'tested'; readonly period: Period },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { clock, database, log } = analytics.host;
  try {
    await deliver(analytics, report, sent.period, signal);
  } catch (error) {
    const fault = messageOf(error);
    if (signal.aborted) return fault;
    log.error({ err: error, report: report.id }, 'A report could not be sent.');
    const failed = { kind: 'failed', fault, ...(sent.kind === 'sent' && { period: sent.period }) } as const;
    await recordEvent(database.write, report, failed, clock());
    return fault;
  }
  await recordEvent(database.write, report, sent, clock());
  return undefined;
}

async function deliver(
  analytics: Analytics,
  report: Report,
  period: Period,
  signal: AbortSignal,
): Promise<void> {
  const { database, messages, publicUrl: home } = analytics.host;
  const { recipient } = report;
  if (home === undefined) throw new Error(NO_ADDRESS);
  const { user, site } = await rightsOf(analytics, report);
  const numbers = await readNumbers(analytics, { user, site, period, signal });
  // Reading the numbers may have taken minutes, so the rights are checked again.
  await rightsOf(analytics, report);
  if ((await findByToken(database.write, report.token)) === undefined)
    throw new Error('The report was stopped.');
  const reported = { report, home, site, period, numbers };
  if (isWebhook(recipient)) {
    if (messages.postWebhook === undefined) throw new Error(NO_WEBHOOK);
    return messages.postWebhook(recipient, webhookOf(reported));
  }
  if (messages.sendMail === undefined) throw new Error(NO_MAIL);
  return messages.sendMail(mailOf(reported));
}

/** Throws if the owner may no longer send the report. */
async function rightsOf({ host: { accounts, database } }: Analytics, report: Report) {
  const { login, recipient } = report;
  const user = await accounts.find(database.write, report.userId);
  if (user === undefined) throw new Error(`The account ${login} is disabled.`);
  const sites = await permittedSites(database.read, user.sites);
  const site = sites.find(({ siteId }) => siteId === report.siteId);
  if (site === undefined || !mayReport(user, recipient))
    throw new Error(`The account ${login} may no longer send this report.`);
  return { user, site };
}

export const NO_ADDRESS = 'Reports need the setting QAL_PUBLIC_URL for their links.';
export const NO_MAIL = 'Mail needs the settings QAL_SMTP_URL and QAL_MAIL_FROM.';
export const NO_WEBHOOK = 'Webhooks need the setting QAL_WEBHOOK_SECRET.';
