import type { AnswerColumn } from '../../shared-types/query-check';
import { button, element } from '../shared/elements';
import type { TableAnswer } from '../shared/query-answer';
import { type Chart, type ChartOrReason, chartOf } from './chart-data';
import { drawCategories } from './draw-categories';
import { drawSeries } from './draw-series';

const FORMS = { line: 'Line', bar: 'Bar', stacked: 'Stacked' } as const;
type Form = keyof typeof FORMS;

export const isForm = (text: string | null): text is Form => text !== null && Object.hasOwn(FORMS, text);

interface ChartPanelParts {
  /** From the address; undefined means the default. */
  readonly form: Form | undefined;
  onForm(form: Form): void;
}

const UNKNOWN = 'The meaning of the columns is unknown, so there is no chart. Run the query again.';

/** The possible forms of a chart. The first one is the default. */
function formsOf({ kind, series, points }: Chart): readonly Form[] {
  const stacks: readonly Form[] = series.length > 1 ? ['bar', 'stacked'] : ['bar'];
  if (kind === 'categories') return stacks;
  return points.length > 1 ? ['line', ...stacks] : stacks;
}

export function createChartPanel(panel: HTMLElement, { form: given, onForm }: ChartPanelParts) {
  let form = given;
  let measure = '';
  const hidden = new Set<number>();
  let shown: TableAnswer | undefined;

  function clear(): void {
    shown = undefined;
    panel.replaceChildren();
  }

  function show(chart: ChartOrReason, drawAgain: () => void): void {
    if (chart.kind === 'none') {
      panel.replaceChildren(element('p', chart.reason, 'empty'));
      return;
    }
    const forms = formsOf(chart);
    const used = forms.find((one) => one === form) ?? forms[0] ?? 'bar';
    const plot = element('div', [], 'chart-plot');
    const note = [
      chart.note,
      ...(used === 'stacked' && !chart.isAdditive && chart.measures.length > 0
        ? ['These values cannot be added: the height of a stack is not their total.']
        : []),
    ]
      .filter(Boolean)
      .join(' ');
    const redraw = () => drawIn(plot, chart, used, hidden);
    panel.replaceChildren(
      controlsOf(chart, forms, used, {
        onForm(chosen) {
          form = chosen;
          onForm(chosen);
          drawAgain();
          panel.querySelector<HTMLInputElement>('input:checked')?.focus();
        },
        onMeasure(name) {
          measure = name;
          hidden.clear();
          drawAgain();
          panel.querySelector('select')?.focus();
        },
      }),
      element('figure', [legendOf(chart, hidden, redraw), plot], 'chart'),
      ...(note === '' ? [] : [element('p', note, 'small muted')]),
    );
    redraw();
  }

  return {
    clear,
    /** Undefined until the user chooses one. */
    form: () => form,
    /** Does nothing if the answer is already drawn. */
    draw(answer: TableAnswer, columns: readonly AnswerColumn[] | undefined): void {
      if (answer === shown) return;
      shown = answer;
      hidden.clear();
      const drawAgain = () =>
        show(
          columns === undefined ? { kind: 'none', reason: UNKNOWN } : chartOf(columns, answer.rows, measure),
          drawAgain,
        );
      drawAgain();
    },
  };
}

function drawIn(plot: HTMLElement, chart: Chart, form: Form, hidden: ReadonlySet<number>): void {
  const shown = chart.series.flatMap((series, index) =>
    hidden.has(index) ? [] : [{ ...series, className: `series-${index + 1}` }],
  );
  if (chart.kind === 'time') drawSeries(plot, chart, shown, form);
  else drawCategories(plot, chart, shown, form === 'stacked');
}

interface Choices {
  onForm(form: Form): void;
  onMeasure(name: string): void;
}

function controlsOf(
  { measures, title }: Chart,
  forms: readonly Form[],
  used: Form,
  { onForm, onMeasure }: Choices,
): HTMLElement {
  const radios = forms.map((form) => {
    const input = element('input', [], '', { type: 'radio', name: 'chart-form' });
    input.checked = form === used;
    input.addEventListener('change', () => onForm(form));
    return element('label', [input, ` ${FORMS[form]}`], 'check');
  });
  const group = element('div', radios, 'checks', { role: 'radiogroup', 'aria-label': 'Chart' });
  const parts: HTMLElement[] = forms.length > 1 ? [group] : [];
  if (measures.length > 1) {
    const select = element('select');
    for (const name of measures) select.append(new Option(name, name, false, title.startsWith(`${name} by`)));
    select.addEventListener('change', () => onMeasure(select.value));
    parts.push(element('label', ['Measure ', select]));
  }
  return element('div', parts, 'actions');
}

/** With several series, clicking a name hides or shows that series. */
function legendOf({ series, title }: Chart, hidden: Set<number>, redraw: () => void): HTMLElement {
  const keys = series.map(({ name }, index) => {
    const className = `chart-key series-${index + 1}`;
    if (series.length === 1) return element('span', title, className);
    const toggle = () => {
      if (!hidden.delete(index)) hidden.add(index);
      key.setAttribute('aria-pressed', `${!hidden.has(index)}`);
      redraw();
    };
    const key = button(name, `${className} plain`, toggle, { 'aria-pressed': `${!hidden.has(index)}` });
    return key;
  });
  return element('figcaption', keys);
}
