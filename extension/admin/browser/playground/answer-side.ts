// The side of the answer: runs the query, and shows its table, chart and explanation in tabs.
// An answer stays when the text changes, and says that it belongs to the query before.
import { byId } from '../shared/elements';
import { readQueryAnswer, summaryOf, type TableAnswer } from '../shared/query-answer';
import { thisPage } from '../shared/rest';
import { type RestAnswer, type RestError, UNREACHABLE } from '../shared/rest-answer';
import { FILE_FORMATS, saveAnswer } from '../shared/save-answer';
import { type ChartColumn, chartColumns } from './chart-data';
import { createChartPanel } from './chart-panel';
import { createExplainPanel } from './explain-panel';
import { isSame, type Question, queryRoute, runQuestion } from './question';
import { showTable } from './result-table';

export interface AnswerSideParts {
  readonly namespace: string;
  /** As the editor has it now. */
  question(): Question;
  /** Shows an error of the query in the editor; undefined takes the last one away. */
  showError(error: RestError | undefined): void;
}

export interface AnswerSide {
  run(): Promise<void>;
  /** The question has changed, or is the same again. */
  changed(): void;
}

const DISPLAY_FAULT = 'The answer arrived but could not be shown.';

export function createAnswerSide({ namespace, question, showError }: AnswerSideParts): AnswerSide {
  const region = byId('answer', HTMLElement);
  const summary = byId('summary', HTMLElement);
  const table = byId('panel-table', HTMLElement);
  const runButton = byId('run', HTMLButtonElement);
  const stopButton = byId('stop', HTMLButtonElement);
  const chart = createChartPanel(byId('panel-chart', HTMLElement));
  const explanation = createExplainPanel(byId('panel-explain', HTMLElement), {
    namespace,
    question,
    onError: (error) => {
      // Errors without a code are not about the query.
      if (error.code !== '') showError(error);
    },
  });

  /** What the panels show: an answer, or why there is none. */
  let shown:
    | {
        readonly asked: Question;
        readonly words: string;
        readonly answer?: TableAnswer;
        readonly columns?: readonly ChartColumn[];
      }
    | undefined;
  let running: AbortController | undefined;

  function say(sentence: string): void {
    // Setting the same status again would have it read aloud again.
    if (summary.textContent !== sentence) summary.textContent = sentence;
  }

  function sayWhatIsShown(): void {
    if (shown === undefined) return;
    const { asked, answer, words } = shown;
    if (isSame(asked, question())) say(words);
    else if (answer === undefined) say('The query has changed since. Run it to see its answer.');
    else say(`${words} This answer belongs to the query before your change.`);
  }

  const fillPanel = createTabs(byId('tab-table', HTMLElement).parentElement ?? region, (panel) => {
    if (panel === 'panel-chart' && shown?.answer !== undefined)
      void chart.draw(shown.answer, shown.columns ?? []);
    if (panel === 'panel-explain') void explanation.fill();
  });

  function fail(asked: Question, words: string): void {
    shown = { asked, words };
    table.replaceChildren();
    chart.clear();
  }

  function showAnswer(asked: Question, rest: RestAnswer, elapsed: number): void {
    const answer = readQueryAnswer(rest, thisPage());
    if (answer.kind === 'error') {
      if (isSame(asked, question())) showError(answer.error);
      fail(asked, `No answer: ${answer.error.message}`);
      return;
    }
    showTable(table, answer);
    const columns = chartColumns(asked.text, answer.columns);
    shown = { asked, answer, columns, words: summaryOf(answer, elapsed) };
    fillPanel();
  }

  async function run(): Promise<void> {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    showError(undefined);
    region.setAttribute('aria-busy', 'true');
    stopButton.hidden = false;
    const asked = question();
    const started = performance.now();
    const rest = await runQuestion(namespace, asked, mine.signal).catch(() => undefined);
    if (running !== mine) return;
    try {
      if (rest === undefined) fail(asked, mine.signal.aborted ? 'Stopped.' : UNREACHABLE);
      else showAnswer(asked, rest, performance.now() - started);
    } catch {
      fail(asked, DISPLAY_FAULT);
    }
    sayWhatIsShown();
    region.setAttribute('aria-busy', 'false');
    // A button that disappears must not take the focus with it.
    if (document.activeElement === stopButton) runButton.focus();
    stopButton.hidden = true;
  }

  offerFiles({ namespace, question, showError });
  runButton.addEventListener('click', () => void run());
  stopButton.addEventListener('click', () => running?.abort());
  return {
    run,
    changed() {
      explanation.changed();
      sayWhatIsShown();
    },
  };
}

/** Runs the query again for a file: its limit may be larger than that of a table. */
function offerFiles({ namespace, question, showError }: AnswerSideParts): void {
  const chooser = byId('file-format', HTMLSelectElement);
  const status = byId('file-status', HTMLElement);
  chooser.replaceChildren(...FILE_FORMATS.map(([label, format]) => new Option(label, format)));
  byId('download', HTMLButtonElement).addEventListener('click', async () => {
    const asked = question();
    status.textContent = 'Fetching the file …';
    const { text: body, version } = asked;
    const error = await saveAnswer({ route: queryRoute(namespace, version), body, format: chooser.value });
    if (error !== undefined && isSame(asked, question())) showError(error);
    status.textContent = error === undefined ? 'The file is saved.' : `No file: ${error.message}`;
  });
}

/** Makes the tabs of a tablist work. Calls `onShow` with the id of each panel that is shown; the returned function repeats that. */
function createTabs(list: HTMLElement, onShow: (panel: string) => void): () => void {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role="tab"]')];
  const panelOf = (tab: HTMLElement | undefined) => tab?.getAttribute('aria-controls') ?? '';
  const show = (shown: HTMLElement) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === shown));
      tab.tabIndex = tab === shown ? 0 : -1;
      byId(panelOf(tab), HTMLElement).hidden = tab !== shown;
    }
    onShow(panelOf(shown));
  };
  for (const [index, tab] of tabs.entries()) {
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (index + 1) % tabs.length,
      ArrowLeft: (index + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    tab.addEventListener('click', () => show(tab));
    tab.addEventListener('keydown', (event) => {
      const next = tabs[targets[event.key] ?? -1];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
      show(next);
    });
  }
  return () => onShow(panelOf(tabs.find((tab) => tab.getAttribute('aria-selected') === 'true')));
}
