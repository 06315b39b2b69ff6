// The side of the answer: a table, a chart and the explanation, each filled when it is looked at.
// What is there stays when the text changes, and says that it belongs to the query before.
import type { TableAnswer } from './answer';
import { type ChartColumn, chartOf } from './chart-data';
import { clearChart, showChart } from './chart-view';
import { button, byId, element } from './elements';
import { makeExplainPanel } from './explain-panel';
import type { Explained } from './explain-view';
import { showTable } from './result-table';
import { makeTabs } from './tabs';

export interface AnswerPanels {
  /** A query was sent: what is there is old. */
  busy(isBusy: boolean): void;
  /** `words` sum it up. */
  show(answer: TableAnswer, columns: readonly ChartColumn[], words: string): void;
  /** Nothing came, for this reason. */
  fail(sentence: string): void;
  /** The query in the editor is another one than that of the answer, or the same again. */
  changed(isOther: boolean): void;
}

interface Shown {
  readonly answer: TableAnswer;
  readonly columns: readonly ChartColumn[];
}

const OF_THE_QUERY_BEFORE = 'This is of the query before your change.';
const CHANGED = 'The query has changed since: run it to see its answer.';
const NO_CHART = 'The chart could not be drawn. If trying again does not help, reload the page. ';

/** `explain` asks for the explanation of the query as it stands. */
export function makeAnswerPanels(explain: () => Promise<Explained>): AnswerPanels {
  const summary = byId('summary', HTMLElement);
  const table = byId('panel-table', HTMLElement);
  const chart = byId('panel-chart', HTMLElement);
  const region = byId('answer', HTMLElement);
  const explanation = makeExplainPanel(byId('panel-explain', HTMLElement), explain);
  let shown: Shown | undefined;
  let drawn: Shown | undefined;
  let words = '';

  function say(sentence: string): void {
    // Said once: a status that is set again is read aloud again.
    if (summary.textContent !== sentence) summary.textContent = sentence;
  }

  async function draw(): Promise<void> {
    if (shown === undefined || drawn === shown) return;
    const mine = shown;
    try {
      if (await showChart(chart, chartOf(mine.columns, mine.answer.rows))) drawn = mine;
    } catch {
      if (shown !== mine) return;
      const sentence = element('p', NO_CHART, 'fault');
      sentence.append(
        button('Try again', 'quiet', () => {
          chart.focus();
          void draw();
        }),
      );
      chart.replaceChildren(sentence);
    }
  }

  function fill(panel: string): void {
    if (panel === 'panel-chart') void draw();
    if (panel === 'panel-explain') void explanation.fill();
  }

  const tabs = makeTabs(byId('tab-table', HTMLElement).parentElement ?? region, fill);
  return {
    busy: (isBusy) => region.setAttribute('aria-busy', String(isBusy)),
    show(answer, columns, told) {
      shown = { answer, columns };
      words = told;
      say(words);
      showTable(table, answer);
      fill(tabs.shown());
    },
    fail(sentence) {
      shown = undefined;
      words = sentence;
      say(words);
      table.replaceChildren();
      clearChart(chart);
    },
    changed(isOther) {
      explanation.changed();
      if (words === '') return;
      say(!isOther ? words : shown === undefined ? CHANGED : `${words} ${OF_THE_QUERY_BEFORE}`);
    },
  };
}
