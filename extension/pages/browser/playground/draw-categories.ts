// Draws series over categories as horizontal bars, grouped or stacked.
import { element } from '../shared/elements';
import { exactNumber, roundNumber } from '../shared/exact-number';
import type { Chart, ShownSeries } from './chart-data';
import { stackOf, ticksOf } from './draw-series';

export function drawCategories(
  container: HTMLElement,
  { points, title, isAdditive }: Chart,
  shown: readonly ShownSeries[],
  isStacked: boolean,
): void {
  const stack = stackOf(shown, isStacked);
  const ticks = ticksOf(stack, shown);
  const bottom = ticks[0] ?? 0;
  const reach = (ticks.at(-1) ?? 1) - bottom;
  const percent = (value: number): string => `${(100 * (value - bottom)) / reach}%`;

  function barOf(index: number, at: number): HTMLElement | undefined {
    const ends = stack[index]?.[at] ?? null;
    const series = shown[index];
    if (ends === null || series === undefined) return undefined;
    const bar = element('span', [], `category-bar ${series.className}`);
    const low = Math.min(ends.from, ends.to);
    bar.style.left = percent(low);
    bar.style.width = `${(100 * Math.abs(ends.to - ends.from)) / reach}%`;
    bar.title = `${points[at]?.name}, ${series.name}: ${exactNumber(series.values[at] ?? 0)}`;
    return bar;
  }
  function trackOf(bars: readonly HTMLElement[], end: number, words: string): HTMLElement {
    const text = element('span', words, 'category-value');
    text.style.left = percent(Math.max(0, end));
    return element('div', [...bars, text], 'category-track');
  }
  function tracksOf(at: number): readonly HTMLElement[] {
    const values = shown.map((series) => series.values[at] ?? null);
    const bars = shown.map((_series, index) => barOf(index, at));
    if (isStacked) {
      const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
      const end = stack.reduce((max, ends) => Math.max(max, ends[at]?.to ?? 0), 0);
      return [
        trackOf(
          bars.flatMap((bar) => bar ?? []),
          end,
          isAdditive ? exactNumber(total) : '',
        ),
      ];
    }
    return bars.map((bar, index) => {
      const value = values[index] ?? null;
      return trackOf(bar === undefined ? [] : [bar], value ?? 0, value === null ? '–' : exactNumber(value));
    });
  }

  const marks = ticks.map((tick) => {
    const mark = element('span', element('span', roundNumber(tick)));
    mark.style.left = percent(tick);
    return mark;
  });
  const axis = element('div', [element('div'), element('div', marks, 'category-ticks')], 'category-axis');
  const lines = points.map(({ name }, at) => {
    const label = element('div', name, 'category-label', { title: name });
    return element('div', [label, element('div', tracksOf(at), 'category-tracks')], 'category');
  });
  const attributes = {
    role: 'img',
    'aria-label': `${title}. The "Table" tab has the numbers.`,
    'data-points': points.length,
  };
  container.replaceChildren(element('div', [axis, ...lines], 'category-chart', attributes));
}
