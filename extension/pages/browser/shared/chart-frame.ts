// The SVG frame of all charts whose points run from left to right: axes, a grid, and a cursor for the pointer and the arrow keys.
// Colors come from the style sheet, so a theme change needs no redraw.
import type { Plane } from './axis';
import { type Attributes, element } from './elements';

const BOTTOM = 24;
const TOP = 10;
const RIGHT = 12;
const LABEL_WIDTH = 74;
const MIN_WIDTH = 200;
const SVG = 'http://www.w3.org/2000/svg';

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  children: readonly (string | Node)[] = [],
): SVGElementTagNameMap[Name] {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  created.append(...children);
  return created;
}

interface ChartFrame {
  readonly height: number;
  /** Positions of the points, in ascending order and to scale. */
  readonly places: readonly number[];
  /** Space before the first and after the last point, in the same unit as `places`. */
  readonly margin: number;
  /** A short label for each point; as many as fit are shown. */
  readonly axis: readonly string[];
  /** In ascending order; the first and last are the ends of the axis. */
  readonly ticks: readonly number[];
  onAxis(value: number): string;
  readonly description: string;
  marks(plane: Plane): readonly SVGElement[];
  dots(at: number): readonly { readonly value: number; readonly className: string }[];
  /** A point's text; the first line is its name. */
  words(at: number): readonly (string | Node)[];
  /** Elements below the axis, repositioned whenever the width changes. `say` shows text at an x position, or hides it. */
  readonly strip?: {
    readonly height: number;
    fill(plane: Plane, say: Say): readonly HTMLElement[];
  };
}

export type Say = (x: number, words: readonly (string | Node)[] | null) => void;

interface Drawn {
  readonly picture: SVGSVGElement;
  readonly plane: Plane;
  readonly width: number;
}

const round = (value: number): number => Math.round(value * 10) / 10;

const bottomOf = ({ height, strip }: ChartFrame): number => height - BOTTOM - (strip?.height ?? 0);

function planeOf(frame: ChartFrame, left: number, width: number): Plane {
  const { places, margin, ticks } = frame;
  const floor = bottomOf(frame);
  const first = (places[0] ?? 0) - margin;
  const span = (places.at(-1) ?? 0) + margin - first;
  const bottom = ticks[0] ?? 0;
  const reach = (ticks.at(-1) ?? 1) - bottom;
  return {
    x: (at) =>
      round(
        span === 0
          ? (left + width) / 2
          : left + ((width - left - RIGHT) * ((places[at] ?? 0) - first)) / span,
      ),
    y: (value) => round(floor - ((floor - TOP) * (value - bottom)) / reach),
  };
}

function draw(frame: ChartFrame, width: number): Drawn {
  const { height, ticks, axis } = frame;
  const labels = ticks.map(frame.onAxis);
  const left = 12 + 8 * labels.reduce((longest, text) => Math.max(longest, text.length), 0);
  const plane = planeOf(frame, left, width);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' });
  for (const [at, tick] of ticks.entries()) {
    const y = plane.y(tick);
    picture.append(
      svg('line', { class: tick === 0 ? 'line-grid zero' : 'line-grid', x1: left, x2: width, y1: y, y2: y }),
      svg('text', { class: 'line-axis', x: left - 8, y: y + 4, 'text-anchor': 'end' }, [labels[at] ?? '']),
    );
  }
  let free = Number.NEGATIVE_INFINITY;
  for (const [at, label] of axis.entries()) {
    const x = plane.x(at);
    if (x < free) continue;
    free = x + LABEL_WIDTH;
    const isFirst = x < left + LABEL_WIDTH / 2 && axis.length > 1;
    const isLast = x > width - LABEL_WIDTH / 2;
    picture.append(
      svg(
        'text',
        {
          class: 'line-axis',
          x: isLast ? width : x,
          y: bottomOf(frame) + BOTTOM - 4,
          'text-anchor': isLast ? 'end' : isFirst ? 'start' : 'middle',
        },
        [label],
      ),
    );
  }
  picture.append(...frame.marks(plane));
  return { picture, plane, width };
}

/** The point nearest to x. */
function nearestTo(x: number, { places }: ChartFrame, plane: Plane): number {
  let low = 0;
  let high = places.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((plane.x(middle) + plane.x(middle + 1)) / 2 < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Fills the container with a chart that is redrawn when its width changes, until it is removed. */
export function drawChart(container: HTMLElement, frame: ChartFrame): void {
  const box = element('div', [], 'line-chart', {
    role: 'img',
    'aria-label': frame.description,
    tabindex: 0,
    'data-points': frame.places.length,
  });
  box.style.height = `${frame.height}px`;
  const tip = element('div', [], 'line-tip', { 'aria-live': 'polite' });
  tip.hidden = true;
  const strip = element('div', [], 'chart-strip');
  strip.style.height = `${frame.strip?.height ?? 0}px`;
  strip.style.marginTop = `-${frame.strip?.height ?? 0}px`;
  const hadFocus = container.contains(document.activeElement);
  container.replaceChildren(box, strip, tip);
  if (hadFocus) box.focus();
  let drawn: Drawn | undefined;
  let marker: SVGElement | undefined;
  let at: number | null = null;

  const say: Say = (x, words) => {
    tip.hidden = words === null;
    if (words === null || drawn === undefined) return;
    const [name = '', ...lines] = words;
    tip.replaceChildren(element('strong', name), ...lines.map((line) => element('span', line)));
    const room = container.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(room, x + (x > drawn.width / 2 ? -tip.offsetWidth - 12 : 12)))}px`;
  };
  function show(point: number | null): void {
    at = point;
    marker?.remove();
    if (point === null || drawn === undefined) {
      say(0, null);
      return;
    }
    const { plane, picture } = drawn;
    const x = plane.x(point);
    marker = svg('g', {}, [
      svg('line', { class: 'line-cursor', x1: x, x2: x, y1: TOP, y2: bottomOf(frame) }),
      ...frame
        .dots(point)
        .map(({ value, className }) => svg('circle', { class: className, cx: x, cy: plane.y(value), r: 4 })),
    ]);
    picture.append(marker);
    say(x, frame.words(point));
  }

  const last = frame.places.length - 1;
  const moves: Readonly<Record<string, () => number | null>> = {
    ArrowRight: () => Math.min(last, at === null ? 0 : at + 1),
    ArrowLeft: () => Math.max(0, at === null ? last : at - 1),
    Home: () => 0,
    End: () => last,
    Escape: () => null,
  };
  box.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(move());
  });
  box.addEventListener('pointermove', ({ clientX }) => {
    if (drawn !== undefined) show(nearestTo(clientX - box.getBoundingClientRect().left, frame, drawn.plane));
  });
  for (const event of ['pointerleave', 'blur']) box.addEventListener(event, () => show(null));
  const fill = () => {
    const width = Math.max(MIN_WIDTH, Math.floor(box.clientWidth));
    if (width === drawn?.width) return;
    drawn = draw(frame, width);
    box.replaceChildren(drawn.picture);
    strip.replaceChildren(...(frame.strip?.fill(drawn.plane, say) ?? []));
    show(null);
  };
  fill();
  const resized = new ResizeObserver(() => {
    if (box.isConnected) fill();
    else resized.disconnect();
  });
  resized.observe(box);
}
