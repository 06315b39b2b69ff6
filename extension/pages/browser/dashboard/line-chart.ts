import type { Note } from '../../shared-types/dashboard-types';
import type { Plane } from '../shared/axis';
import { drawChart, type Say, svg } from '../shared/chart-frame';
import { button, element, headCell, row, scrollingTable } from '../shared/elements';
import { onAxis, withUnit } from './in-words';
import { type Line, largestOf, piecesOf, pointName, pointText, ticksUpTo } from './line';
import { marksBelow, noteInWords } from './placed-notes';

const HEIGHT = 240;
/** The size of a note's mark: the smallest target that a finger can hit reliably. */
const MARK = 24;

/** Points without a neighbor to draw a line to. */
const isolatedPoints = (values: readonly (number | null)[], className: string, plane: Plane) =>
  values.flatMap((value, at) =>
    value !== null && values[at - 1] == null && values[at + 1] == null
      ? [svg('circle', { class: className, cx: plane.x(at), cy: plane.y(value), r: 3.5 })]
      : [],
  );

function marksOf(line: Line, plane: Plane): readonly SVGElement[] {
  const floor = plane.y(0);
  const before = piecesOf(line.before, new Set(), plane).map(({ d }) =>
    svg('path', { class: 'line-before', d }),
  );
  const now = piecesOf(line.values, line.partial, plane).flatMap(({ d, dashed }) => {
    const ends = d.match(/-?[\d.]+ -?[\d.]+/g) ?? [];
    const [first = ''] = (ends[0] ?? '').split(' ');
    const [end = ''] = (ends.at(-1) ?? '').split(' ');
    return [
      svg('path', { class: 'line-area', d: `${d}L${end} ${floor}L${first} ${floor}Z` }),
      svg('path', { class: dashed ? 'line-now dashed' : 'line-now', d }),
    ];
  });
  return [
    ...before,
    ...isolatedPoints(line.before, 'line-dot before', plane),
    ...now,
    ...isolatedPoints(line.values, 'line-dot', plane),
  ];
}

interface TableColumn {
  readonly label: string;
  readonly className?: string;
  of(at: number): string;
}

const comparedColumns = ({ namesBefore, before, partialBefore, unit }: Line): readonly TableColumn[] => [
  { label: 'Compared with', of: (at) => pointName(namesBefore, partialBefore, at) },
  { label: 'Earlier value', of: (at) => withUnit(before[at], unit), className: 'number' },
];

function tableOf(line: Line): HTMLElement {
  const columns: readonly TableColumn[] = [
    { label: 'When', of: (at) => pointName(line.names, line.partial, at) },
    { label: line.label, of: (at) => withUnit(line.values[at], line.unit), className: 'number' },
    ...(line.namesBefore.length > 0 ? comparedColumns(line) : []),
  ];
  const head = row(columns.map(({ label, className }) => headCell(label, className)));
  const cellOf = ({ label, of, className }: TableColumn, at: number) =>
    element('td', of(at), className, { 'data-label': label });
  const body = element(
    'tbody',
    line.names.map((_name, at) => row(columns.map((column) => cellOf(column, at)))),
  );
  return element('details', [
    element('summary', 'As a table', 'small'),
    scrollingTable(`${line.label} as a table`, head, body, 'stacked'),
  ]);
}

type OpenNote = (note: Note) => void;

function noteMarks({ notes }: Line, { x }: Plane, say: Say, open: OpenNote): readonly HTMLElement[] {
  return marksBelow(notes, x, MARK).map((mark) => {
    const words = mark.notes.map(noteInWords);
    const act = () => {
      const [first] = mark.notes;
      if (first !== undefined) open(first);
    };
    const count = words.length === 1 ? '' : String(words.length);
    const label = `${words.length === 1 ? 'Note' : `${count} notes`}: ${words.join('; ')}`;
    const shown = button(count, 'note-mark', act, { 'aria-label': label });
    shown.style.left = `${mark.x}px`;
    for (const event of ['pointerenter', 'focus']) shown.addEventListener(event, () => say(mark.x, words));
    for (const event of ['pointerleave', 'blur']) shown.addEventListener(event, () => say(mark.x, null));
    return shown;
  });
}

/** Fills the container. `open` is called with the first note of a clicked mark. */
export function drawLine(container: HTMLElement, line: Line, open: OpenNote): void {
  drawChart(container, {
    height: HEIGHT,
    places: line.names.map((_name, at) => at),
    margin: 0,
    axis: line.axis,
    ticks: ticksUpTo(Math.max(largestOf(line.values), largestOf(line.before)), line.unit),
    onAxis: (value) => onAxis(value, line.unit),
    description: line.description,
    marks: (plane) => marksOf(line, plane),
    dots(at) {
      const value = line.values[at];
      return typeof value === 'number' ? [{ value, className: 'line-dot' }] : [];
    },
    words: (at) => pointText(line, at),
    ...(line.notes.length > 0 && {
      strip: { height: MARK, fill: (plane, say) => noteMarks(line, plane, say, open) },
    }),
  });
  container.append(tableOf(line));
}
