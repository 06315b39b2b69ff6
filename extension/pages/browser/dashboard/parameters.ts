import type { AskedPart, DashboardHead, TabInfo } from '../../shared-types/dashboard-types';
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
    const open = button('Parameters', 'plain small', () => openParameters(value, parameters, tab, ask));
    open.setAttribute('aria-label', `Parameters of ${value}`);
    return open;
  };

function openParameters(event: string, parameters: readonly string[], events: TabInfo, ask: AskOne): void {
  const dialog = element('dialog', [], 'whole-list');
  const heading = element('h2', `Parameters of ${event}`);
  heading.id = 'parameters-title';
  dialog.setAttribute('aria-labelledby', heading.id);
  const choice = element(
    'select',
    parameters.map((name) => element('option', name)),
  );
  choice.setAttribute('aria-label', 'Parameter');
  const body = element('div', [], 'whole-rows');
  body.tabIndex = 0;
  body.setAttribute('role', 'region');
  body.setAttribute('aria-labelledby', heading.id);
  const status = element('p', [], 'small muted');
  status.setAttribute('role', 'status');
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
  dialog.append(
    element('header', [heading, choice, button('Close', 'quiet', () => dialog.close())]),
    body,
    element('footer', status),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  void show();
}
