// The e-mail and the webhook body of a report.
import { LINK_PATH, type Mail, pageAddress } from '../../../host-shim/extension-api';
import type { Site } from '../../data/storage/sites/list-sites';
import type { DayRange, Unit } from '../shared-types/dashboard-types';
import { numberWords } from '../shared-types/number-words';
import type { ReportNumbers } from './report-numbers';
import type { Frequency, Period } from './report-period';
import type { Report } from './stored-reports';

export const REPORTS = 'reports';

const DAYS = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const MONTH = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' });

const dayInWords = (day: string): string => DAYS.format(new Date(day));
const RANGE_IN_WORDS: Readonly<Record<Frequency, (range: DayRange) => string>> = {
  weekly: ({ first, last }) => DAYS.formatRange(new Date(first), new Date(last)).replace(/\s*–\s*/, ' to '),
  monthly: ({ first }) => MONTH.format(new Date(first)),
};

const { withUnit, changeOf } = numberWords('en');

function changeInWords(value: number | null, before: number | null): string {
  const change = changeOf(value, before);
  if (change === undefined) return '';
  return change.direction === 'same' ? 'unchanged' : `${change.direction === 'up' ? '+' : '−'}${change.text}`;
}

const cellInWords = (value: unknown, unit: Unit): string =>
  withUnit(typeof value === 'number' ? value : null, unit);

interface Reported {
  readonly report: Report;
  /** QAL_PUBLIC_URL. */
  readonly home: string;
  readonly site: Site;
  readonly period: Period;
  readonly numbers: ReportNumbers;
}

const dashboardOf = ({ home, site, period: { range } }: Reported): string =>
  `${home}${pageAddress('dashboard')}?${new URLSearchParams({ site: site.trackingId, from: range.first, to: range.last })}`;

/** The content of both the text and HTML versions of an e-mail. */
function contentOf(reported: Reported) {
  const { report, home, site, period, numbers } = reported;
  const { figures, lists, data } = numbers;
  const inWords = RANGE_IN_WORDS[report.frequency];
  const isComparable = figures.some(({ before }) => before !== null);
  const notes = [
    isComparable
      ? `Changes are compared with ${inWords(period.before)}.`
      : 'There is no earlier data to compare with.',
    ...(data === null || data.last >= period.range.last
      ? []
      : [`The newest data is from ${dayInWords(data.last)}.`]),
    ...(numbers.isSteady
      ? []
      : ['Data was imported while these numbers were read, so they may not match each other.']),
  ];
  return {
    title: `${site.name}: ${inWords(period.range)}`.replace(/\s+/g, ' '),
    notes,
    figures: figures.map(({ card, value, before }) => ({
      label: card.label,
      value: withUnit(value, card.unit),
      change: changeInWords(value, before),
    })),
    lists: lists.map(({ tab, rows }) => ({
      title: LIST_TITLES[tab.id] ?? tab.title,
      measures: tab.measures.map(({ label }) => label),
      rows: rows.map((row) => ({
        // Page titles can come from visitors: a line break would let them add lines to the plain text.
        names: tab.names.map((name, at) =>
          String(row[name] ?? (at === 0 ? tab.nameless : '')).replace(/\s+/g, ' '),
        ),
        values: tab.measures.map(({ column, unit }) => cellInWords(row[column], unit)),
      })),
    })),
    dashboard: dashboardOf(reported),
    why: `This report is sent ${report.frequency}.`,
    end: `${home}${LINK_PATH}/${REPORTS}?${new URLSearchParams({ end: report.token })}`,
  };
}

const LIST_TITLES: Readonly<Record<string, string>> = { page: 'Top pages', source: 'Top sources' };

export function mailOf(reported: Reported): Mail {
  const content = contentOf(reported);
  const { title, notes, figures, lists, dashboard, why, end } = content;
  const width = Math.max(...figures.map(({ label }) => label.length));
  const text = [
    title,
    notes.join(' '),
    figures
      .map(({ label, value, change }) => `${label.padEnd(width)}  ${value.padStart(10)}  ${change}`.trimEnd())
      .join('\n'),
    ...lists.map((list) =>
      [
        `${list.title} (${list.measures.join(', ').toLowerCase()})`,
        ...(list.rows.length === 0 ? ['none'] : []),
        ...list.rows.map(({ names, values }) => `${values.join(', ')}: ${names.filter(Boolean).join(' ')}`),
      ].join('\n'),
    ),
    `Dashboard: ${dashboard}`,
    `${why} To stop it: ${end}`,
  ].join('\n\n');
  return {
    to: [reported.report.recipient],
    subject: title,
    text: `${text}\n`,
    html: { view: 'extension/pages/views/report-mail', data: content },
    headers: {
      'List-Unsubscribe': `<${end}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
    },
  };
}

export function webhookOf(reported: Reported): object {
  const { report, site, period, numbers } = reported;
  return {
    report: report.frequency,
    site: { tracking_id: site.trackingId, name: site.name, timezone: site.timezone },
    period: { first: period.range.first, last: period.range.last },
    before: { first: period.before.first, last: period.before.last },
    newest_day: numbers.data?.last ?? null,
    changed_while_read: !numbers.isSteady,
    figures: Object.fromEntries(
      numbers.figures.map(({ card, value, before }) => [card.column, { value, before }]),
    ),
    lists: Object.fromEntries(numbers.lists.map(({ tab, rows }) => [tab.id, rows])),
    dashboard: dashboardOf(reported),
  };
}
