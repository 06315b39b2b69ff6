// The Retention page: a row for each week or month with new visitors, and how many of them came back in each later week or
// month.
import type { DashboardHead, PartAnswer } from '../shared-types/dashboard-types';
import type { CohortStep, RetentionHead } from '../shared-types/report-types';
import { share, withUnit } from './dashboard/in-words';
import { queryLink } from './dashboard/part-view';
import { type OpenReport, openReport, type Shown, showFailure, unfilteredNote } from './reports/open-report';
import { dateInWords, pointInWords } from './shared/dates-in-words';
import { byId, element, headCell, row, scrollingTable } from './shared/elements';

/** How many later weeks or months the table shows; the query returns all of them. */
const MAX_LATER = 12;
const NAMES: Readonly<Record<CohortStep, string>> = { week: 'Week', month: 'Month' };

/** The number of visitors for each period of each cohort. */
type Counts = ReadonlyMap<string, ReadonlyMap<string, number>>;

function countsOf({ rows = [] }: PartAnswer): Counts {
  const counts = new Map<string, Map<string, number>>();
  for (const [cohort, period, visitors] of rows) {
    const byPeriod = counts.get(String(cohort)) ?? new Map<string, number>();
    counts.set(String(cohort), byPeriod.set(String(period), Number(visitors)));
  }
  return counts;
}

interface Cell {
  readonly label: string;
  readonly visitors: number;
  readonly part: number;
  readonly isIncomplete: boolean;
}

const INCOMPLETE = 'incomplete';

function cellOf({ label, visitors, part, isIncomplete }: Cell, highest: number): HTMLTableCellElement {
  const cell = element(
    'td',
    [
      element('strong', share(part)),
      element('span', withUnit(visitors, 'count'), 'small'),
      ...(isIncomplete ? [element('span', `, ${INCOMPLETE}`, 'visually-hidden')] : []),
    ],
    isIncomplete ? 'cohort-cell incomplete' : 'cohort-cell',
    { 'data-label': label, ...(isIncomplete && { title: INCOMPLETE }) },
  );
  cell.style.setProperty('--strength', `${highest === 0 ? 0 : Math.round((45 * part) / highest)}%`);
  return cell;
}

function cohortsTable({ step, points }: RetentionHead['cohorts'], answer: PartAnswer): HTMLElement {
  const counts = countsOf(answer);
  const { points: periods, partial, known } = points;
  const [from, until] = known;
  const rows = periods.flatMap((cohort, at) => {
    const byPeriod = counts.get(cohort);
    const size = byPeriod?.get(cohort) ?? 0;
    if (byPeriod === undefined || size === 0) return [];
    const later = periods.slice(at + 1, Math.min(until, at + 1 + MAX_LATER)).map((period, place): Cell => {
      const visitors = byPeriod.get(period) ?? 0;
      return {
        label: `${NAMES[step]} ${place + 1}`,
        visitors,
        part: visitors / size,
        isIncomplete: partial.includes(at + 1 + place),
      };
    });
    return at < from ? [] : [{ cohort, size, later, isIncomplete: partial.includes(at) }];
  });
  const columns = Math.max(0, ...rows.map(({ later }) => later.length));
  const highest = Math.max(0, ...rows.flatMap(({ later }) => later.map(({ part }) => part)));
  const head = row([
    headCell(step === 'week' ? 'Week of' : 'Month'),
    headCell('New visitors', 'number tight'),
    ...Array.from({ length: columns }, (_unused, at) => headCell(`${NAMES[step]} ${at + 1}`, 'number')),
  ]);
  const body = rows.map(({ cohort, size, later, isIncomplete }) =>
    row([
      element(
        'th',
        [
          step === 'week' ? dateInWords(cohort) : pointInWords(step, cohort),
          ...(isIncomplete ? [' ', element('span', INCOMPLETE, 'badge')] : []),
        ],
        'cohort-name',
        { scope: 'row' },
      ),
      element('td', withUnit(size, 'count'), 'number', { 'data-label': 'New visitors' }),
      ...later.map((cell) => cellOf(cell, highest)),
    ]),
  );
  if (body.length === 0) return element('p', 'There were no new visitors in this range.', 'panel-empty');
  return scrollingTable('Cohorts', head, element('tbody', body), 'cohorts');
}

/** Caveats about the numbers. */
function notesOf({ data, range, cohorts }: RetentionHead, recognized: PartAnswer | undefined): HTMLElement[] {
  const { step, points } = cohorts;
  const [visitors = 0, longer = 0] = recognized?.rows?.[0]?.map(Number) ?? [];
  const note = (text: string, className = 'panel-note') => element('p', text, className);
  const notes = [
    note(
      `The share and number of a ${step}'s new visitors who came back in each later ${step}.` +
        (points.partial.length === 0 ? '' : ` A ${step} with a dashed line is incomplete.`),
    ),
  ];
  if (data !== null && data.first >= range.first)
    notes.push(note(`The data begins on ${dateInWords(data.first)}: earlier visitors may count as new.`));
  if (visitors > 0 && longer === 0)
    notes.push(
      note(
        'No visitor was seen for longer than a day in this range. Where visitor ids change daily, as in access logs and cookieless tools, returning visitors cannot be recognized and count as new.',
        'warning',
      ),
    );
  else if (visitors > 0)
    notes.push(
      note(
        `${share(longer / visitors)} of the visitors in this range were seen for longer than a day. A visitor with a new id, for example on another device, counts as new.`,
      ),
    );
  return notes;
}

function open(opened: OpenReport) {
  const by = byId('by', HTMLSelectElement);
  const body = byId('shown-body', HTMLElement);
  by.addEventListener('change', () => opened.go({ ...opened.view(), by: by.value }));
  return {
    isHead: (head: DashboardHead): head is RetentionHead => 'cohorts' in head,
    parts: () => [{ id: 'cohorts' }, { id: 'recognized' }],
    show({ head, answers }: Shown<RetentionHead>): void {
      const { step, steps } = head.cohorts;
      for (const option of by.options) option.disabled = steps.every((one) => one !== option.value);
      by.value = step;
      const answer = answers.get('cohorts');
      if (answer === undefined) return;
      if (!showFailure(body, answer, opened)) body.replaceChildren(cohortsTable(head.cohorts, answer));
      byId('shown-notes', HTMLElement).replaceChildren(
        ...notesOf(head, answers.get('recognized')),
        ...unfilteredNote(answer),
      );
      byId('shown-foot', HTMLElement).replaceChildren(...queryLink(answer, opened.info.own));
    },
  };
}

openReport(open);
