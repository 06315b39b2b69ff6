import type { AskedPart, DashboardHead, TabInfo } from '../../shared-types/dashboard-types';
import { createListDialog } from '../shared/dialog';
import { button, element } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import type { OnePart } from './ask';
import { type ListRow, listRowsOf } from './list-rows';
import { listTable } from './rows';

const ROWS = 100;

type AskOne = (part: AskedPart) => Promise<OnePart>;

export const parametersButton =
  ({ events }: DashboardHead, tab: TabInfo, ask: AskOne) =>
  ({ value }: ListRow): HTMLElement | undefined => {
    const parameters = events[value ?? ''] ?? [];
    if (value === null || parameters.length === 0) return undefined;
    const open = () => openParameters(value, parameters, tab, ask);
    return button('Parameters', 'plain small', open, { 'aria-label': `Parameters of ${value}` });
  };

function openParameters(event: string, parameters: readonly string[], events: TabInfo, ask: AskOne): void {
  const options = parameters.map((name) => element('option', name));
  const choice = element('select', options, '', { 'aria-label': 'Parameter' });
  const { dialog, body, status } = createListDialog(`Parameters of ${event}`, [choice]);
  async function show(): Promise<void> {
    const parameter = choice.value;
    body.setAttribute('aria-busy', 'true');
    const { answer } = await ask({ id: 'parameter', event, parameter, limit: ROWS });
    if (choice.value !== parameter) return;
    body.setAttribute('aria-busy', 'false');
    if (answer.error !== undefined) {
      body.replaceChildren(element('p', sentenceOf(answer.error), 'fault'));
      return;
    }
    const [count] = events.measures;
    const tab: TabInfo = {
      ...events,
      ...{ id: 'parameter', names: [parameter], dimension: null, nameless: 'not sent' },
      measures: count === undefined ? [] : [count],
    };
    const rows = listRowsOf(tab, answer);
    body.replaceChildren(listTable(tab, rows, { whole: null, links: null }));
    const unfiltered =
      answer.unfiltered.length === 0 ? '' : ` Not filtered by ${answer.unfiltered.join(', ')}.`;
    status.textContent = (answer.more === true ? `The ${ROWS} most frequent values.` : '') + unfiltered;
  }
  choice.addEventListener('change', () => void show());
  dialog.showModal();
  void show();
}
