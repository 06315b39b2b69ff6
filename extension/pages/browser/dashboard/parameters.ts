import {
  type DashboardHead,
  PARAMETER,
  type PartAnswer,
  type RequestedPart,
  type TabInfo,
} from '../../shared-types/dashboard-types';
import { createListDialog } from '../shared/dialog';
import { button, element } from '../shared/elements';
import { isPinned, nextPlace, type Place, placed, placeOf, type View } from './address';
import type { OnePart } from './ask';
import { type ListRow, listRowsOf, nameOf } from './list-rows';
import { failureNodes, unfilteredWords } from './part-view';
import { listTable, type Navigation, type RowLinks } from './rows';

const ROWS = 100;

type AskOne = (part: RequestedPart) => Promise<OnePart>;

export const parametersButton =
  ({ events }: DashboardHead, tab: TabInfo, ask: AskOne, navigation: Navigation) =>
  ({ value }: ListRow): HTMLElement | undefined => {
    const parameters = Object.keys(events[value ?? ''] ?? {});
    if (value === null || parameters.length === 0) return undefined;
    const open = () => openParameters({ event: value, parameters, events: tab }, ask, navigation);
    return button('Parameters', 'plain small', open, { 'aria-label': `Parameters of ${value}` });
  };

interface Opened {
  readonly event: string;
  readonly parameters: readonly string[];
  readonly events: TabInfo;
}

function openParameters(
  { event, parameters, events }: Opened,
  ask: AskOne,
  { view, pinned, own, address, go }: Navigation,
): void {
  const options = parameters.map((name) => element('option', name));
  const choice = element('select', options, '', { 'aria-label': 'Parameter' });
  const { dialog, body, status } = createListDialog(`Parameters of ${event}`, [choice]);
  function linksOf(parameter: string, { columns = [], rows = [] }: PartAnswer): RowLinks | null {
    if (isPinned(pinned, PARAMETER)) return null;
    const cells = new Map(
      rows.map((row) => row[columns.indexOf(parameter)] ?? null).map((cell) => [nameOf(cell), cell]),
    );
    const jsonOf = (value: string | null) => JSON.stringify([event, parameter, cells.get(value) ?? null]);
    const after = (value: string | null, place: Place): View => ({
      ...view,
      filters: placed(view.filters, PARAMETER, jsonOf(value), nextPlace[place]),
    });
    return {
      place: (value) => placeOf(view.filters, PARAMETER, jsonOf(value)),
      address: (value, place) => address(after(value, place)),
      go(value, place) {
        dialog.close();
        go(after(value, place));
      },
    };
  }
  async function show(): Promise<void> {
    const parameter = choice.value;
    body.setAttribute('aria-busy', 'true');
    const { answer } = await ask({ id: 'parameter', event, parameter, limit: ROWS });
    if (choice.value !== parameter) return;
    body.setAttribute('aria-busy', 'false');
    if (answer.error !== undefined) {
      body.replaceChildren(...failureNodes(answer.error, own, () => void show()));
      return;
    }
    const [count] = events.measures;
    const tab: TabInfo = {
      ...events,
      id: 'parameter',
      names: [parameter],
      dimension: null,
      nameless: 'not sent',
      measures: count === undefined ? [] : [count],
    };
    const rows = listRowsOf(tab, answer);
    const links = linksOf(parameter, answer);
    body.replaceChildren(listTable(tab, rows, { whole: null, links }));
    const limited = answer.more === true ? [`The ${ROWS} most frequent values`] : [];
    status.textContent = [...limited, ...unfilteredWords(answer)].map((words) => `${words}.`).join(' ');
  }
  choice.addEventListener('change', () => void show());
  dialog.showModal();
  void show();
}
