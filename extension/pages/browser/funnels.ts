// The Funnels page: the visits that reached each step of the chosen funnel.
import type { DashboardHead, PartAnswer } from '../shared-types/dashboard-types';
import type { FunnelsHead } from '../shared-types/report-types';
import type { View } from './dashboard/address';
import { share, withUnit } from './dashboard/in-words';
import { queryLink } from './dashboard/part-view';
import { type OpenReport, openReport, type Shown, showFailure, unfilteredNote } from './reports/open-report';
import { byId, element, headCell, row } from './shared/elements';

type Funnel = FunnelsHead['funnels'][number];

const CHOICE = 'funnel';
/** Without a choice, the server uses the first funnel. */
const partOf = ({ tabs }: View): string =>
  tabs[CHOICE] === undefined ? CHOICE : `${CHOICE} ${tabs[CHOICE]}`;

const visitsAt = ({ columns = [], rows = [] }: PartAnswer, step: number): number =>
  Number(rows[0]?.[columns.indexOf(`step_${step}`)] ?? 0);

function stepsTable({ words }: Funnel, answer: PartAnswer): HTMLElement {
  const visits = words.map((_words, at) => visitsAt(answer, at + 1));
  const [first = 0] = visits;
  const part = (count: number, of: number) => (of === 0 ? '–' : share(count / of));
  const head = row([
    headCell('Step'),
    ...['Visits', 'Of step 1', 'Of previous', 'Drop-off'].map((text) => headCell(text, 'number tight')),
  ]);
  const body = words.map((text, at) => {
    const count = visits[at] ?? 0;
    const before = at === 0 ? count : (visits[at - 1] ?? 0);
    const name = element(
      'th',
      [element('span', `${at + 1}`, 'funnel-number'), element('bdi', text)],
      'funnel-step',
      {
        scope: 'row',
      },
    );
    name.style.setProperty('--share', `${first === 0 ? 0 : ((100 * count) / first).toFixed(1)}%`);
    const cell = (label: string, value: string) => element('td', value, 'number', { 'data-label': label });
    return row([
      name,
      cell('Visits', withUnit(count, 'count')),
      cell('Of step 1', part(count, first)),
      cell('Of previous', at === 0 ? '–' : part(count, before)),
      cell('Drop-off', at === 0 ? '–' : withUnit(before - count, 'count')),
    ]);
  });
  return element('table', [element('thead', head), element('tbody', body)], 'stacked funnel');
}

function open(opened: OpenReport) {
  const { info } = opened;
  const choice = byId('funnel', HTMLSelectElement);
  const card = byId('shown', HTMLElement);
  const title = byId('shown-title', HTMLElement);
  const body = byId('shown-body', HTMLElement);
  const foot = byId('shown-foot', HTMLElement);
  choice.addEventListener('change', () => opened.go({ ...opened.view(), tabs: { [CHOICE]: choice.value } }));
  const linksTo = ({ trackingId }: FunnelsHead['site'], { id, name }: Funnel) => {
    if (info.edit === null) return [];
    const at = `${info.edit}/${encodeURIComponent(trackingId)}`;
    return (
      [
        ['Edit', `${at}/${id}`],
        ['Copy', `${at}/add?copy=${id}`],
        ['Delete', `${at}/${id}/delete`],
      ] as const
    ).map(([text, href]) => element('a', text, '', { href, 'aria-label': `${text} the funnel ${name}` }));
  };

  return {
    isHead: (head: DashboardHead): head is FunnelsHead => 'funnels' in head,
    parts: (view: View) => [{ id: partOf(view) }],
    show({ head, view, answers }: Shown<FunnelsHead>): void {
      const { funnels, site } = head;
      const chosen = view.tabs[CHOICE];
      const funnel = chosen === undefined ? funnels[0] : funnels.find(({ id }) => String(id) === chosen);
      const add = document.getElementById('add');
      if (add instanceof HTMLAnchorElement)
        add.href = `${info.edit}/${encodeURIComponent(site.trackingId)}/add`;
      byId('none', HTMLElement).hidden = funnels.length > 0;
      card.hidden = funnels.length === 0;
      choice.hidden = funnels.length === 0;
      choice.replaceChildren(...funnels.map(({ id, name }) => new Option(name, String(id))));
      choice.value = String(funnel?.id ?? '');
      title.replaceChildren(element('bdi', funnel?.name ?? 'This funnel was deleted'));
      const answer = answers.get(partOf(view));
      if (funnel === undefined || answer === undefined) {
        body.replaceChildren();
        foot.replaceChildren();
        return;
      }
      if (!showFailure(body, answer, opened))
        body.replaceChildren(stepsTable(funnel, answer), ...unfilteredNote(answer));
      foot.replaceChildren(...linksTo(site, funnel), ...queryLink(answer, info.own));
    },
  };
}

openReport(open, [CHOICE]);
