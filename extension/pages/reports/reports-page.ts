// The "Scheduled reports" page, and the page on which recipients stop a report.
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  MAIL_ADDRESS,
  PageError,
  pageAddress,
} from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites, type Site } from '../../data/storage/sites/list-sites';
import { formStatus } from '../edit-conflict';
import { siteOf } from '../page-route';
import { REPORTS } from './report-message';
import { FREQUENCIES, lastPeriod } from './report-period';
import { isWebhook, mayReport, NO_ADDRESS, NO_MAIL, NO_WEBHOOK, sendReport } from './send-reports';
import {
  addReports,
  claimTest,
  deleteReport,
  findByToken,
  listReports,
  MAX_REPORTS,
  type Report,
} from './stored-reports';

const MAX_RECIPIENT_LENGTH = 320;
const MAX_RECIPIENTS = 20;

export const reportsPage = (analytics: Analytics): AdminPage => ({
  slug: REPORTS,
  title: 'Scheduled reports',
  howTo: 'pages',
  group: 'Data',
  position: 8,
  capability: 'read',
  takes: { words: 2, post: true },
  async handle(request) {
    const { method, user, words } = request;
    const [reportId, action] = words;
    const { write } = analytics.host.database;
    if (reportId === undefined) return method === 'POST' ? add(analytics, request) : show(analytics, request);
    const report = (await listReports(write, user)).find(({ id }) => String(id) === reportId);
    if (method !== 'POST' || (action !== 'test' && action !== 'delete'))
      throw new PageError(404, 'There is no such page.');
    if (report === undefined)
      throw new PageError(
        404,
        'There is no such report; it may already have been deleted or stopped.',
        ADDRESS,
      );
    if (action === 'test') return test(analytics, request, report);
    await deleteReport(write, report);
    return { kind: 'redirect', to: ADDRESS, notice: `The report to ${report.recipient} was deleted.` };
  },
  async forRecipients({ method, query }) {
    const { write } = analytics.host.database;
    const report = await findByToken(write, query.end ?? '');
    const isEnded = method === 'POST' && report !== undefined;
    if (isEnded) await deleteReport(write, report);
    return {
      kind: 'page',
      view: 'extension/pages/views/report-end',
      status: report === undefined ? 404 : 200,
      title: isEnded || report === undefined ? 'The report was stopped' : 'Stop this report?',
      data: { report: isEnded ? undefined : report },
    };
  },
});

const ADDRESS = pageAddress(REPORTS);

interface Typed {
  readonly site: string;
  readonly frequency: string;
  readonly recipients: string;
}

interface Outcome {
  readonly typed?: Typed;
  readonly faults?: Partial<Readonly<Record<keyof Typed, string>>>;
  /** Why a test was not sent. */
  readonly failure?: string;
}

async function show(
  analytics: Analytics,
  { query, user }: AdminRequest,
  { typed, faults = {}, failure }: Outcome = {},
): Promise<AdminAnswer> {
  const { database, messages, publicUrl } = analytics.host;
  const sites = await permittedSites(database.read, user.sites);
  const reports = await listReports(database.write, user);
  const mayPost = messages.postWebhook !== undefined && mayReport(user, 'https://');
  return {
    kind: 'page',
    status: failure === undefined ? formStatus(Object.keys(faults).length > 0, undefined) : 409,
    view: 'extension/pages/views/reports',
    data: {
      sites,
      reports,
      faults,
      failure,
      typed: typed ?? { site: query.site ?? sites[0]?.trackingId ?? '', frequency: 'weekly', recipients: '' },
      missing: [
        ...(publicUrl === undefined ? [NO_ADDRESS] : []),
        ...(messages.sendMail !== undefined ? [] : mayPost ? [NO_MAIL] : [NO_MAIL, NO_WEBHOOK]),
      ],
      isPossible: publicUrl !== undefined && (messages.sendMail !== undefined || mayPost),
      hasOthers: reports.some(({ userId }) => userId !== user.id),
      mayPost,
    },
  };
}

async function add(analytics: Analytics, request: AdminRequest): Promise<AdminAnswer> {
  const { accounts, clock, database } = analytics.host;
  const { form, user } = request;
  const typed: Typed = {
    site: form.get('site') ?? '',
    frequency: form.get('frequency') ?? '',
    recipients: form.get('recipients') ?? '',
  };
  const site = await siteOf(analytics.host, user, typed.site);
  const frequency = FREQUENCIES.find((one) => one === typed.frequency);
  const recipients = [...new Set(typed.recipients.split(/[\s,;]+/).filter(Boolean))];
  const fault = recipientsFault(analytics, request, recipients);
  const faults = {
    ...(site === undefined && { site: 'Choose one of your sites.' }),
    ...(frequency === undefined && { frequency: 'Choose weekly or monthly.' }),
    ...(fault !== undefined && { recipients: fault }),
  };
  if (site === undefined || frequency === undefined || fault !== undefined)
    return show(analytics, request, { typed, faults });
  const period = lastPeriod(frequency, clock(), site.timezone);
  const requested = { user, recipients, siteId: site.siteId, frequency, period };
  const outcome = await addReports(database.write, accounts, requested);
  if (outcome === 'no-account') throw new PageError(409, 'Your account was deleted.');
  if (outcome === 'full') {
    const full = `You can have at most ${MAX_REPORTS} reports. Delete some first.`;
    return show(analytics, request, { typed, faults: { recipients: full } });
  }
  return { kind: 'redirect', to: ADDRESS, notice: addedNotice(site, period.nextAt) };
}

const addedNotice = ({ name, timezone }: Site, nextAt: Date): string => {
  const day = nextAt.toLocaleDateString('en-GB', { timeZone: timezone, dateStyle: 'full' });
  return `Added. The first report on ${name} will be sent on ${day}; send a test to see it now.`;
};

function recipientsFault(
  { host: { messages, publicUrl } }: Analytics,
  { user }: AdminRequest,
  recipients: readonly string[],
): string | undefined {
  if (publicUrl === undefined) return NO_ADDRESS;
  if (recipients.length === 0) return 'Enter an e-mail address.';
  if (recipients.length > MAX_RECIPIENTS) return `Enter at most ${MAX_RECIPIENTS} recipients at a time.`;
  for (const recipient of recipients) {
    const isValid = isWebhook(recipient) ? URL.canParse(recipient) : MAIL_ADDRESS.test(recipient);
    if (!isValid || recipient.length > MAX_RECIPIENT_LENGTH) return `${recipient} is not an e-mail address.`;
    if (!mayReport(user, recipient)) return 'Only administrators can add webhooks.';
    if (isWebhook(recipient) && messages.postWebhook === undefined) return NO_WEBHOOK;
    if (!isWebhook(recipient) && messages.sendMail === undefined) return NO_MAIL;
  }
  return undefined;
}

async function test(analytics: Analytics, request: AdminRequest, report: Report): Promise<AdminAnswer> {
  const { clock, database } = analytics.host;
  if (!(await claimTest(database.write, report.recipient, clock()))) {
    const failure =
      'The last test to this recipient was less than a minute ago. Wait a minute, then send it again.';
    return show(analytics, request, { failure });
  }
  const period = lastPeriod(report.frequency, clock(), report.timezone);
  const fault = await sendReport(analytics, report, { kind: 'tested', period }, request.signal);
  if (fault !== undefined)
    return show(analytics, request, { failure: `The test could not be sent. ${fault}` });
  return { kind: 'redirect', to: ADDRESS, notice: `The test was sent to ${report.recipient}.` };
}
