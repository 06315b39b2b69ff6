import type { AskedPart, DashboardInfo, PartAnswer, TabInfo } from '../../shared-types/dashboard-types';
import { button, element } from '../shared/elements';
import type { RestError } from '../shared/rest-answer';
import type { OnePart } from './ask';
import type { PanelPlace } from './panel-view';
import type { RowLinks } from './rows';
import { openWholeList } from './whole-list';

interface Foot {
  readonly tab: TabInfo;
  readonly answer: PartAnswer;
  readonly whole: number | null;
  readonly links: RowLinks | null;
  /** Whether lists have pages. */
  readonly canPage: boolean;
  /** null if files are switched off. */
  readonly save: ((part: AskedPart) => Promise<RestError | undefined>) | null;
  readonly own: DashboardInfo['own'];
  ask(part: AskedPart): Promise<OnePart>;
}

export function showFoot({ foot, panel }: PanelPlace, { tab, answer, own, ask, save, ...shown }: Foot): void {
  const title = panel.tabs.length === 1 ? panel.title : `${panel.title}: ${tab.title}`;
  const openList = () =>
    openWholeList({
      ...{ title, tab, ...shown },
      ask: (part) => ask({ ...part, id: tab.id }),
      save: save && ((part) => save({ ...part, id: tab.id })),
    });
  const whole = button('Show all', 'plain', openList);
  whole.setAttribute('aria-label', `Show all of ${title}`);
  const open = element('a', 'Open as query');
  open.setAttribute('aria-label', `Open as query: ${title}`);
  open.href = `${own?.playground ?? ''}?run#${encodeURIComponent(JSON.stringify(answer.query, null, 2))}`;
  foot.replaceChildren(
    ...(tab.kind === 'goals' || answer.error !== undefined ? [] : [whole]),
    ...(own === null ? [] : [open]),
  );
}
