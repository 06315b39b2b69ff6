// What stands below a list: the whole of it, and its query.
import { button, element } from '../shared/elements';
import type { OnePart } from './ask';
import type { AskedPart, DashboardInfo, PartAnswer, TabInfo } from './dashboard-types';
import type { PanelPlace } from './panel-view';
import type { RowLinks } from './rows';
import { openWholeList } from './whole-list';

export interface Foot {
  readonly tab: TabInfo;
  readonly answer: PartAnswer;
  readonly whole: number | null;
  readonly links: RowLinks | null;
  readonly own: DashboardInfo['own'];
  ask(part: AskedPart): Promise<OnePart>;
}

export function showFoot({ foot, panel }: PanelPlace, { tab, answer, own, ask, ...shown }: Foot): void {
  const title = panel.tabs.length === 1 ? panel.title : `${panel.title}: ${tab.title}`;
  const files = own?.canDownload === true ? own.query : null;
  const openList = () =>
    openWholeList({ title, tab, files, ...shown, ask: (part) => ask({ ...part, id: tab.id }) });
  const whole = button('Show all', 'plain', openList);
  whole.setAttribute('aria-label', `Show all of ${title}`);
  const open = element('a', 'Open as query');
  open.setAttribute('aria-label', `Open as query: ${title}`);
  open.href = `${own?.playground ?? ''}#${encodeURIComponent(JSON.stringify(answer.query, null, 2))}`;
  foot.replaceChildren(...(tab.kind === 'goals' ? [] : [whole]), ...(own === null ? [] : [open]));
}
