// A page with the same site, range and filter controls as the dashboard. One request fetches all of its numbers.
import type { DashboardHead, PartAnswer, RequestedPart } from '../../shared-types/dashboard-types';
import type { ReportInfo } from '../../shared-types/report-types';
import type { View } from '../dashboard/address';
import { failureNodes, unfilteredWords } from '../dashboard/part-view';
import { openLink, openSitePage, type SitePage } from '../dashboard/site-page';
import { rangeInWords } from '../shared/dates-in-words';
import { byId, element, replaceKeepingFocus } from '../shared/elements';

export interface Shown<Head> {
  readonly head: Head;
  readonly view: View;
  readonly answers: ReadonlyMap<string, PartAnswer>;
}

interface Report<Head extends DashboardHead> {
  isHead(head: DashboardHead): head is Head;
  parts(view: View): readonly RequestedPart[];
  /** Called once all parts have arrived, or the request has failed after the head. */
  show(shown: Shown<Head>): void;
}

export interface OpenReport extends Pick<SitePage, 'view' | 'go'> {
  readonly info: ReportInfo;
  load(): void;
}

/** `choices` are additional URL parameters, such as `funnel` in `?funnel=3`. */
export function openReport<Head extends DashboardHead>(
  create: (opened: OpenReport) => Report<Head>,
  choices: readonly string[] = [],
): void {
  const root = byId('report', HTMLElement);
  const info: ReportInfo = JSON.parse(root.dataset.info ?? '{}');
  if (info.own === null && !openLink(root)) return;
  const about = byId('range', HTMLElement);
  const page = openSitePage({ root, info, tabs: choices, keepsTabs: false, load });
  const report = create({ info, view: page.view, go: page.go, load });

  function load(): void {
    const answers = new Map<string, PartAnswer>();
    let head: Head | undefined;
    const listener = {
      head(found: DashboardHead) {
        if (report.isHead(found)) head = found;
        page.showHead(found);
        const { range, site } = found;
        about.replaceChildren(element('strong', rangeInWords(range)), `, ${site.timezone} time.`);
      },
      part: (answer: PartAnswer) => void answers.set(answer.id, answer),
    };
    page.begin();
    page.request({ compare: 'none', parts: report.parts(page.view()) }, listener, (error) => {
      if (head !== undefined) report.show({ head, view: page.view(), answers });
      page.showStatus(error);
    });
  }
  load();
}

/** If the part failed, shows the error and returns true. */
export function showFailure(
  place: HTMLElement,
  { error }: PartAnswer,
  { info, load }: Pick<OpenReport, 'info' | 'load'>,
): boolean {
  if (error === undefined) return false;
  replaceKeepingFocus(place, failureNodes(error, info.own, load));
  return true;
}

export const unfilteredNote = (answer: PartAnswer): readonly HTMLElement[] =>
  unfilteredWords(answer).map((words) => element('p', `${words}.`, 'panel-note'));
