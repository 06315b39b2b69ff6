// The module of the dashboard: asks the query of each panel and shows its answer.
// A panel says data-state: loading, shown or failed; the whole dashboard counts those that wait in data-waiting.
import { ask } from './dashboard/ask';
import type { Answer } from './dashboard/panel-answer';
import type { PanelData } from './dashboard/panel-data';
import { statusOf } from './dashboard/panel-status';
import { clearPanel, showAnswer } from './dashboard/show-panel';

const DISPLAY_FAULT = 'The answer came, and could not be shown.';

const dashboard = document.getElementById('dashboard');
const sections = [...(dashboard?.querySelectorAll<HTMLElement>('[data-panel]') ?? [])];

/** Tells how many panels there are, once none is waited for: sentences between would only interrupt. */
function tellState(): void {
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

function showLoading(into: HTMLElement, panel: PanelData): void {
  clearPanel(into);
  const loading = document.createElement('p');
  loading.className = panel.kind === 'total' ? 'figure' : 'empty';
  loading.textContent = panel.kind === 'total' ? '…' : 'Loading …';
  into.append(loading);
}

function show(section: HTMLElement, into: HTMLElement, panel: PanelData, answer: Answer): void {
  const again = () => {
    // The button that was pressed is gone: the panel has the focus in its place.
    into.tabIndex = -1;
    into.focus();
    void fill(section, panel);
  };
  const id = section.id.replace('panel-', '');
  try {
    showAnswer(into, id, panel, answer, again);
    section.dataset.state = answer.kind === 'table' ? 'shown' : 'failed';
  } catch {
    showAnswer(into, id, panel, { kind: 'fault', message: DISPLAY_FAULT }, again);
    section.dataset.state = 'failed';
  }
}

async function fill(section: HTMLElement, panel: PanelData): Promise<void> {
  const into = section.querySelector<HTMLElement>('.panel-answer');
  if (into === null) return;
  section.dataset.state = 'loading';
  section.setAttribute('aria-busy', 'true');
  showLoading(into, panel);
  tellState();
  const answer = await ask(dashboard?.dataset.endpoint ?? '', panel.query);
  show(section, into, panel, answer);
  section.setAttribute('aria-busy', 'false');
  tellState();
}

for (const section of sections) section.dataset.state = 'loading';
for (const section of sections) void fill(section, JSON.parse(section.dataset.panel ?? '{}'));
