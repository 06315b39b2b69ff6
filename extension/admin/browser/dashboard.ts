// Fills the dashboard: each panel sends its own query.
// A panel's data-state is loading, shown or failed; the dashboard counts loading panels in data-waiting.
import { type Panel, statusOf } from './dashboard/panel-data';
import { clearPanel, showAnswer } from './dashboard/show-panel';
import { element } from './shared/elements';
import { type QueryAnswer, readQueryAnswer } from './shared/query-answer';
import { callRest, sentenceOf, thisPage } from './shared/rest';
import { UNREACHABLE } from './shared/rest-answer';
import { saveAnswer } from './shared/save-answer';

const DISPLAY_FAULT = 'The answer arrived but could not be shown.';

const dashboard = document.getElementById('dashboard');
const sections = [...(dashboard?.querySelectorAll<HTMLElement>('[data-panel]') ?? [])];

/** Screen readers hear one sentence at the end; sentences before would only interrupt. */
function updateStatus(): void {
  if (dashboard === null) return;
  const panels = sections.map((section) => ({
    title: section.querySelector('h2')?.textContent ?? '',
    state: section.dataset.state ?? '',
  }));
  const waiting = panels.filter(({ state }) => state === 'loading').length;
  const status = document.getElementById('dashboard-status');
  if (status !== null && waiting === 0) status.textContent = statusOf(panels);
  dashboard.dataset.waiting = String(waiting);
}

const failure = (message: string): QueryAnswer => ({ kind: 'error', error: { code: '', message } });

async function ask({ query }: Panel): Promise<QueryAnswer> {
  try {
    const endpoint = dashboard?.dataset.endpoint ?? '';
    const rest = await callRest(endpoint, { body: JSON.stringify(query), page: 'dashboard' });
    return readQueryAnswer(rest, thisPage());
  } catch {
    return failure(UNREACHABLE);
  }
}

/** The days and names of the panel as they stand in its query, not as it shows them. */
function offerFile(section: HTMLElement, { query }: Panel): void {
  const status = section.querySelector('.download-status');
  section.querySelector('[data-download]')?.addEventListener('click', async () => {
    const route = dashboard?.dataset.endpoint ?? '';
    const format = 'format=csv&csv=spreadsheet';
    const error = await saveAnswer({ route, format, body: JSON.stringify(query), page: 'dashboard' });
    status?.replaceChildren(...(error === undefined ? ['Saved.'] : sentenceOf(error)));
  });
}

async function fill(section: HTMLElement, panel: Panel): Promise<void> {
  const into = section.querySelector<HTMLElement>('.panel-answer');
  if (into === null) return;
  section.dataset.state = 'loading';
  section.setAttribute('aria-busy', 'true');
  clearPanel(into);
  const isTotal = panel.kind === 'total';
  into.append(element('p', isTotal ? '…' : 'Loading …', isTotal ? 'figure' : 'empty'));
  updateStatus();
  const answer = await ask(panel);
  const again = () => {
    // The pressed button goes away, so the panel takes the focus.
    into.tabIndex = -1;
    into.focus();
    void fill(section, panel);
  };
  const id = section.id.replace('panel-', '');
  try {
    showAnswer(into, id, panel, answer, again);
    section.dataset.state = answer.kind === 'table' ? 'shown' : 'failed';
  } catch {
    showAnswer(into, id, panel, failure(DISPLAY_FAULT), again);
    section.dataset.state = 'failed';
  }
  section.setAttribute('aria-busy', 'false');
  updateStatus();
}

for (const section of sections) section.dataset.state = 'loading';
for (const section of sections) {
  const panel = JSON.parse(section.dataset.panel ?? '{}');
  offerFile(section, panel);
  void fill(section, panel);
}
