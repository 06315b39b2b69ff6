// Runs the query and shows a table, a chart and an explanation in tabs. After the query changes, the old answer stays, with a note.

import type { AnswerColumn } from '../../shared-types/query-check';
import { byId } from '../shared/elements';
import { readQueryAnswer, summaryOf, type TableAnswer } from '../shared/query-answer';
import { callRest } from '../shared/rest';
import { type RestAnswer, type RestError, UNREACHABLE } from '../shared/rest-answer';
import { FILE_FORMATS, saveAnswer } from '../shared/save-answer';
import { listenToTabs, markTab } from '../shared/tabs';
import { createChartPanel, isForm } from './chart-panel';
import { createExplainPanel } from './explain-panel';
import { type Checked, isSame, type Question, queryRoute } from './question';
import { showTable } from './result-table';

interface AnswerSideParts {
  question(): Question;
  check(requested: Question, isKept: boolean): Promise<Checked>;
  /** Shows an error in the query; undefined removes the one shown. */
  showError(error: RestError | undefined): Promise<void>;
}

const DISPLAY_FAULT = 'The answer arrived but could not be shown.';

export function createAnswerSide({ question, check, showError }: AnswerSideParts) {
  const region = byId('answer', HTMLElement);
  const summary = byId('summary', HTMLElement);
  const table = byId('panel-table', HTMLElement);
  const runButton = byId('run', HTMLButtonElement);
  const stopButton = byId('stop', HTMLButtonElement);
  const view = new URLSearchParams(location.search).get(VIEW);
  const chart = createChartPanel(byId('panel-chart', HTMLElement), {
    form: isForm(view) ? view : undefined,
    onForm: rememberView,
  });
  const explanation = createExplainPanel(byId('panel-explain', HTMLElement), {
    question,
    onError: (error) => {
      // Errors without a code are not about the query.
      if (error.code !== '') void showError(error);
    },
  });

  let shown:
    | {
        readonly requested: Question;
        readonly words: string;
        readonly answer?: TableAnswer;
        readonly columns?: readonly AnswerColumn[] | undefined;
      }
    | undefined;
  let running: AbortController | undefined;

  function say(sentence: string): void {
    // Setting the same status again would make screen readers repeat it.
    if (summary.textContent !== sentence) summary.textContent = sentence;
  }

  function sayWhatIsShown(): void {
    if (shown === undefined) return;
    const { requested, answer, words } = shown;
    if (isSame(requested, question())) say(words);
    else if (answer === undefined) say('The query has changed. Run it to see its answer.');
    else say(`${words} This is the answer to the query before your change.`);
  }

  function fillPanel(panel: string): void {
    if (panel === 'panel-chart' && shown?.answer !== undefined) chart.draw(shown.answer, shown.columns);
    if (panel === 'panel-explain') void explanation.fill();
  }
  const tabs = createTabs(byId('tab-table', HTMLElement).parentElement ?? region, (panel) => {
    rememberView(panel === 'panel-chart' ? (chart.form() ?? CHART) : undefined);
    fillPanel(panel);
  });
  if (view === CHART || isForm(view)) tabs.show('panel-chart');

  function fail(requested: Question, words: string): void {
    shown = { requested, words };
    table.replaceChildren();
    chart.clear();
  }

  function showAnswer(
    requested: Question,
    rest: RestAnswer,
    known: readonly AnswerColumn[],
    elapsed: number,
  ): void {
    const answer = readQueryAnswer(rest);
    if (answer.kind === 'error') {
      const isCurrent = isSame(requested, question());
      if (isCurrent) void showError(answer.error);
      fail(requested, isCurrent ? 'Query failed' : `Query failed: ${answer.error.message}`);
      return;
    }
    const columns = columnsOf(answer, known);
    showTable(table, answer, columns);
    shown = { requested, answer, columns, words: summaryOf(answer, elapsed) };
    fillPanel(tabs.shown());
  }

  async function run(): Promise<void> {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    void showError(undefined);
    region.setAttribute('aria-busy', 'true');
    stopButton.hidden = false;
    const requested = question();
    const started = performance.now();
    say('Running …');
    // In a narrow window, the answer is below the editor.
    if (region.getBoundingClientRect().top > window.innerHeight / 2) region.scrollIntoView();
    const checking = check(requested, true);
    const { text: body, version } = requested;
    const rest = await callRest(queryRoute(version), { body, signal: mine.signal });
    const elapsed = performance.now() - started;
    const columns = rest.status === 200 ? await checking.then(checkedColumns) : [];
    if (running !== mine) return;
    try {
      if (rest.status === 0) fail(requested, mine.signal.aborted ? 'Stopped.' : UNREACHABLE);
      else showAnswer(requested, rest, columns, elapsed);
    } catch {
      fail(requested, DISPLAY_FAULT);
    }
    sayWhatIsShown();
    region.setAttribute('aria-busy', 'false');
    // Hiding a focused button would lose focus.
    if (document.activeElement === stopButton) runButton.focus();
    stopButton.hidden = true;
  }

  offerFiles(question, showError);
  runButton.addEventListener('click', () => void run());
  stopButton.addEventListener('click', () => running?.abort());
  return {
    run,
    /** The query was edited, perhaps back to the text that was run. */
    changed(): void {
      explanation.changed();
      sayWhatIsShown();
    },
  };
}

const checkedColumns = (checked: Checked): readonly AnswerColumn[] =>
  checked.kind === 'checked' ? checked.query.columns : [];

/** The columns as the check describes them; undefined if it does not describe all of them. */
function columnsOf(
  { columns }: TableAnswer,
  known: readonly AnswerColumn[],
): readonly AnswerColumn[] | undefined {
  const found = columns.flatMap((name) => known.find((column) => column.name === name) ?? []);
  return found.length === columns.length ? found : undefined;
}

/** The address contains the view (`chart` or a kind of chart), so that a link opens the same view. */
const VIEW = 'show';
const CHART = 'chart';

function rememberView(view: string | undefined): void {
  const address = new URL(location.href);
  if (view === undefined) address.searchParams.delete(VIEW);
  else address.searchParams.set(VIEW, view);
  history.replaceState(null, '', address);
}

/** Runs the query again, since files have a higher row limit. */
function offerFiles(question: AnswerSideParts['question'], showError: AnswerSideParts['showError']): void {
  const chooser = byId('file-format', HTMLSelectElement);
  const status = byId('file-status', HTMLElement);
  chooser.replaceChildren(...FILE_FORMATS.map(([label, format]) => new Option(label, format)));
  byId('download', HTMLButtonElement).addEventListener('click', async () => {
    const requested = question();
    status.textContent = 'Fetching the file …';
    const { text: body, version } = requested;
    const error = await saveAnswer({ route: queryRoute(version), body, format: chooser.value });
    if (error !== undefined && isSame(requested, question())) void showError(error);
    status.textContent =
      error === undefined ? 'The file has been saved.' : `The file was not saved: ${error.message}`;
  });
}

/** Calls `onChoice` with the id of each panel that the user chooses. */
function createTabs(list: HTMLElement, onChoice: (panel: string) => void) {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')];
  const panelOf = (tab: HTMLElement | undefined) => tab?.getAttribute('aria-controls') ?? '';
  const show = (panel: string) => {
    for (const tab of tabs) {
      const isShown = panelOf(tab) === panel;
      markTab(tab, isShown);
      byId(panelOf(tab), HTMLElement).hidden = !isShown;
    }
  };
  const choose = (tab: HTMLElement) => {
    show(panelOf(tab));
    onChoice(panelOf(tab));
  };
  listenToTabs(tabs, choose);
  return {
    show,
    shown: () => panelOf(tabs.find((tab) => tab.getAttribute('aria-selected') === 'true')),
  };
}
