// The frame of every chart with points from left to right, as SVG: axes, grid, and a cursor that the pointer and the arrow keys
// move. Colours come from the style sheet, so a change of theme needs no repaint. Text reaches the page as text nodes.
import type { Plane } from './axis';
import { element } from './elements';

const BOTTOM = 24;
const TOP = 10;
const RIGHT = 12;
const LABEL_WIDTH = 74;
const LEAST_WIDTH = 200;
const SVG = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number>>;

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
  /** In pixels. */
  readonly height: number;
  /** Where each point stands: growing numbers, whose distances are true. */
  readonly places: readonly number[];
  /** Room beside the first and the last point, in the unit of the places. */
  readonly margin: number;
  /** Short words for each point; as many as fit are shown. */
  readonly axis: readonly string[];
  /** Growing numbers; the first and the last are the ends of the axis. */
  readonly ticks: readonly number[];
  onAxis(value: number): string;
  readonly description: string;
  marks(plane: Plane): readonly SVGElement[];
  /** Values that the cursor marks. */
  dots(at: number): readonly { readonly value: number; readonly className: string }[];
  /** What stands at a point; the first line is its name. */
  words(at: number): readonly (string | Node)[];
}

interface Drawn {
  readonly picture: SVGSVGElement;
  readonly plane: Plane;
  readonly width: number;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function planeOf({ height, places, margin, ticks }: ChartFrame, left: number, width: number): Plane {
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
    y: (value) => round(height - BOTTOM - ((height - BOTTOM - TOP) * (value - bottom)) / reach),
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
          y: height - 4,
          'text-anchor': isLast ? 'end' : isFirst ? 'start' : 'middle',
        },
        [label],
      ),
    );
  }
  picture.append(...frame.marks(plane));
  return { picture, plane, width };
}

/** The point whose middle is nearest. */
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

/** Fills the container with a chart that follows its width, and gives what takes it down. */
export function drawChart(container: HTMLElement, frame: ChartFrame): () => void {
  const box = element('div', [], 'line-chart');
  box.style.height = `${frame.height}px`;
  box.tabIndex = 0;
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', frame.description);
  box.dataset.points = String(frame.places.length);
  const tip = element('div', [], 'line-tip');
  tip.setAttribute('aria-live', 'polite');
  tip.hidden = true;
  container.replaceChildren(box, tip);
  let drawn: Drawn | undefined;
  let marker: SVGElement | undefined;
  let at: number | null = null;

  function show(point: number | null): void {
    at = point;
    marker?.remove();
    tip.hidden = point === null;
    if (point === null || drawn === undefined) return;
    const { plane, width, picture } = drawn;
    const x = plane.x(point);
    marker = svg('g', {}, [
      svg('line', { class: 'line-cursor', x1: x, x2: x, y1: TOP, y2: frame.height - BOTTOM }),
      ...frame
        .dots(point)
        .map(({ value, className }) => svg('circle', { class: className, cx: x, cy: plane.y(value), r: 4 })),
    ]);
    picture.append(marker);
    const [name = '', ...lines] = frame.words(point);
    tip.replaceChildren(element('strong', name), ...lines.map((line) => element('span', line)));
    const room = container.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(room, x + (x > width / 2 ? -tip.offsetWidth - 12 : 12)))}px`;
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
    const width = Math.max(LEAST_WIDTH, Math.floor(box.clientWidth));
    if (width === drawn?.width) return;
    drawn = draw(frame, width);
    box.replaceChildren(drawn.picture);
    show(null);
  };
  fill();
  const resized = new ResizeObserver(fill);
  resized.observe(box);
  return () => resized.disconnect();
}
