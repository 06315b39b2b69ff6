// Draws one line, and behind it the one that it is compared with, as SVG: colours come from the style sheet, so a change of
// theme needs no repaint. Text reaches the page as text nodes.
import { element, headCell, row, scrollingTable } from '../shared/elements';
import { onAxis, withUnit } from './in-words';
import { type Line, largestOf, type Plane, piecesOf, pointText, ticksUpTo } from './line';

const HEIGHT = 240;
const BOTTOM = 24;
const TOP = 10;
const LABEL_WIDTH = 74;
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

interface Frame extends Plane {
  readonly left: number;
  readonly width: number;
}

function draw(line: Line, width: number): { readonly picture: SVGSVGElement; readonly frame: Frame } {
  const ticks = ticksUpTo(Math.max(largestOf(line.values), largestOf(line.before)), line.unit);
  const top = ticks.at(-1) ?? 1;
  const labels = ticks.map((tick) => onAxis(tick, line.unit));
  const left = 10 + 7 * labels.reduce((longest, text) => Math.max(longest, text.length), 0);
  const last = Math.max(1, line.names.length - 1);
  const round = (value: number) => Math.round(value * 10) / 10;
  const frame: Frame = {
    ...{ left, width },
    x: (at) => round(line.names.length === 1 ? (left + width) / 2 : left + ((width - left - 12) * at) / last),
    y: (value) => round(HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * value) / top),
  };
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    width,
    height: HEIGHT,
    'aria-hidden': 'true',
  });
  for (const [at, tick] of ticks.entries()) {
    const y = frame.y(tick);
    picture.append(
      svg('line', { class: 'line-grid', x1: left, x2: width, y1: y, y2: y }),
      svg('text', { class: 'line-axis', x: left - 8, y: y + 4, 'text-anchor': 'end' }, [labels[at] ?? '']),
    );
  }
  const every = Math.max(1, Math.ceil((line.axis.length * LABEL_WIDTH) / (width - left)));
  for (let at = 0; at < line.axis.length; at += every) {
    const isLast = frame.x(at) > width - LABEL_WIDTH / 2;
    const place = at === 0 && line.axis.length > 1 ? 'start' : isLast ? 'end' : 'middle';
    const x = isLast && at > 0 ? width : frame.x(at);
    picture.append(
      svg('text', { class: 'line-axis', x, y: HEIGHT - 4, 'text-anchor': place }, [line.axis[at] ?? '']),
    );
  }
  for (const { d } of piecesOf(line.before, new Set(), frame))
    picture.append(svg('path', { class: 'line-before', d }));
  for (const { d, dashed } of piecesOf(line.values, line.partial, frame)) {
    const floor = frame.y(0);
    const ends = d.match(/-?[\d.]+ -?[\d.]+/g) ?? [];
    const [first = ''] = (ends[0] ?? '').split(' ');
    const [end = ''] = (ends.at(-1) ?? '').split(' ');
    picture.append(
      svg('path', { class: 'line-area', d: `${d}L${end} ${floor}L${first} ${floor}Z` }),
      svg('path', { class: dashed ? 'line-now dashed' : 'line-now', d }),
    );
  }
  for (const [at, value] of line.values.entries()) {
    const alone = line.values[at - 1] == null && line.values[at + 1] == null;
    if (value !== null && alone)
      picture.append(svg('circle', { class: 'line-dot', cx: frame.x(at), cy: frame.y(value), r: 3.5 }));
  }
  return { picture, frame };
}

interface TableColumn {
  readonly label: string;
  readonly className?: string;
  of(at: number): string;
}

const comparedColumns = ({ namesBefore, before, unit }: Line): readonly TableColumn[] => [
  { label: 'Compared with', of: (at) => namesBefore[at] ?? '–' },
  { label: 'Then', of: (at) => withUnit(before[at], unit), className: 'number' },
];

function tableOf(line: Line): HTMLElement {
  const columns: readonly TableColumn[] = [
    { label: 'When', of: (at) => `${line.names[at]}${line.partial.has(at) ? ' (not whole)' : ''}` },
    { label: line.label, of: (at) => withUnit(line.values[at], line.unit), className: 'number' },
    ...(line.namesBefore.length > 0 ? comparedColumns(line) : []),
  ];
  const head = row(columns.map(({ label, className }) => headCell(label, className)));
  const cellOf = ({ label, of, className }: TableColumn, at: number) => {
    const cell = element('td', of(at), className);
    cell.dataset.label = label;
    return cell;
  };
  const body = element(
    'tbody',
    line.names.map((_name, at) => row(columns.map((column) => cellOf(column, at)))),
  );
  return element('details', [
    element('summary', 'As a table', 'small'),
    scrollingTable(`${line.label} as a table`, head, body, 'stacked'),
  ]);
}

/** Fills the container with a chart that follows its width, and gives what takes it down. */
export function drawLine(container: HTMLElement, line: Line): () => void {
  const box = element('div', [], 'line-chart');
  box.tabIndex = 0;
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', line.description);
  box.dataset.points = String(line.names.length);
  const tip = element('div', [], 'line-tip');
  tip.setAttribute('aria-live', 'polite');
  tip.hidden = true;
  container.replaceChildren(box, tip, tableOf(line));
  let frame: Frame | undefined;
  let marker: SVGElement | undefined;
  let at: number | null = null;

  function show(point: number | null): void {
    at = point;
    marker?.remove();
    tip.hidden = point === null;
    if (point === null || frame === undefined) return;
    const x = frame.x(point);
    const value = line.values[point];
    const dot =
      typeof value === 'number'
        ? [svg('circle', { class: 'line-dot', cx: x, cy: frame.y(value), r: 4 })]
        : [];
    marker = svg('g', {}, [
      svg('line', { class: 'line-cursor', x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM }),
      ...dot,
    ]);
    box.firstElementChild?.append(marker);
    const [when = '', ...numbers] = pointText(line, point);
    tip.replaceChildren(element('strong', when), ...numbers.map((text) => element('span', text)));
    const room = container.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(room, x + (x > frame.width / 2 ? -tip.offsetWidth - 12 : 12)))}px`;
  }

  const count = line.names.length;
  const moves: Readonly<Record<string, () => number | null>> = {
    ArrowRight: () => Math.min(count - 1, at === null ? 0 : at + 1),
    ArrowLeft: () => Math.max(0, at === null ? count - 1 : at - 1),
    Home: () => 0,
    End: () => count - 1,
    Escape: () => null,
  };
  box.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(move());
  });
  box.addEventListener('pointermove', ({ clientX }) => {
    if (frame === undefined) return;
    const { left, width } = frame;
    const along = (clientX - box.getBoundingClientRect().left - left) / (width - left - 12);
    show(Math.max(0, Math.min(count - 1, Math.round(along * (count - 1)))));
  });
  for (const event of ['pointerleave', 'blur']) box.addEventListener(event, () => show(null));
  const fill = () => {
    const width = Math.max(200, Math.floor(box.clientWidth));
    if (width === frame?.width) return;
    const drawn = draw(line, width);
    frame = drawn.frame;
    box.replaceChildren(drawn.picture);
    show(null);
  };
  fill();
  const resized = new ResizeObserver(fill);
  resized.observe(box);
  return () => resized.disconnect();
}
