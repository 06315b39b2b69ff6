// The text on stdout once the server listens: where it is, who may log in, and one line to paste.
import type { FirstAccount } from './first-start';
import { FIRST_PAGE } from './page-addresses';

export interface FirstQuery {
  readonly trackingId: string;
  readonly timezone: string;
}

export interface Welcome {
  readonly url: string;
  /** Address of the query route. */
  readonly queryUrl: string;
  readonly database: string;
  /** The embedded database takes one process at a time. */
  readonly embedded: boolean;
  /** What must be set for another command to find this database; a secret comes without its value. */
  readonly databaseSettings: readonly { readonly name: string; readonly value?: string }[];
  /** Given on the very first start only. */
  readonly account: FirstAccount | undefined;
  /** The login of an administrator, for the line to paste. */
  readonly administrator: string;
  readonly site: FirstQuery | undefined;
  readonly now: Date;
}

const DAY_MS = 86_400_000;

/** The calendar date of an instant in a time zone, as YYYY-MM-DD. */
function dateIn(timezone: string, instant: Date): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(instant);
}

/** The query of the first line: top pages of the 30 days before today. */
export function firstQueryBody({ trackingId, timezone }: FirstQuery, now: Date): object {
  const start = dateIn(timezone, new Date(now.getTime() - 30 * DAY_MS));
  return {
    qal: {
      tracking_id: trackingId,
      materials: [{ name: 'allpv' }],
      time: { start: `${start}T00:00:00`, end: `${dateIn(timezone, now)}T00:00:00`, tz: timezone },
      make: {
        pages: {
          from: ['allpv'],
          keep: ['allpv.url'],
          calc: { views: 'COUNT(allpv.pv_id)' },
          sort: { by: 'views', order: 'desc', top: 10 },
        },
      },
      result: { use: 'pages' },
    },
  };
}

function curlLine(welcome: Welcome, site: FirstQuery): string {
  const secret = welcome.account?.applicationPassword ?? 'APPLICATION PASSWORD';
  const login = welcome.account?.login ?? welcome.administrator;
  const body = JSON.stringify(firstQueryBody(site, welcome.now));
  return `curl -s -u '${login}:${secret}' -H 'Content-Type: application/json' -d '${body}' ${welcome.queryUrl}`;
}

const shellQuote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The way back in for whoever lost the login password. */
function wayBack({ administrator, embedded, databaseSettings }: Welcome): readonly string[] {
  const secret = databaseSettings.filter(({ value }) => value === undefined).map(({ name }) => name);
  const remarks = [
    ...(embedded ? ['while this server is stopped: the embedded database serves one program at a time'] : []),
    ...(secret.length > 0 ? [`with the same ${secret.join(' and ')} set`] : []),
  ];
  const assignments = databaseSettings.map(({ name, value }) =>
    value === undefined ? '' : `${name}=${shellQuote(value)} `,
  );
  return [
    `A lost login password is replaced${remarks.map((remark) => ` (${remark})`).join('')} with:`,
    '',
    `  ${assignments.join('')}npm exec qal -- users password ${administrator}`,
  ];
}

function accountLines(welcome: Welcome): readonly string[] {
  const { account } = welcome;
  if (account === undefined) return wayBack(welcome);
  return [
    'Shown this once, kept nowhere:',
    '',
    `  Administrator         ${account.login}`,
    `  Login password        ${account.loginPassword}`,
    `  Application password  ${account.applicationPassword}`,
  ];
}

/** The whole text, with a line break at its end. */
export function welcomeText(welcome: Welcome): string {
  const question =
    welcome.site === undefined
      ? []
      : ['Ask for the top pages of the last 30 days:', '', curlLine(welcome, welcome.site), ''];
  return [
    '',
    `Ready at ${welcome.url}, on ${welcome.database}.`,
    '',
    `Log in at ${welcome.url}${FIRST_PAGE} for application passwords, sites, goals, users and the playground.`,
    '',
    ...accountLines(welcome),
    '',
    ...question,
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}
