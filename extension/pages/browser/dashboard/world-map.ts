// The map of the "Map" tab. Its shapes are loaded when it is first shown.

import type { TabInfo } from '../../shared-types/dashboard-types';
import { svg } from '../shared/chart-frame';
import { button, element, onPlainClick, replaceKeepingFocus } from '../shared/elements';
import { localizedName, withUnit } from './in-words';
import type { ListRow } from './list-rows';
import type { RowLinks } from './rows';

interface Shapes {
  readonly width: number;
  readonly height: number;
  /** The SVG path of each country's outline, by country code. */
  readonly countries: Readonly<Record<string, string>>;
}

type Area = readonly [x: number, y: number, width: number, height: number];

/** From Iceland to the Caspian Sea, with the aspect ratio of the whole map. */
const EUROPE: Area = [355, 45, 311, 145];
let isZoomed = false;

/** Hides the countries outside the area, so that the keyboard does not reach them. */
function showArea(picture: SVGSVGElement, area: Area): void {
  const [x, y, width, height] = area;
  picture.setAttribute('viewBox', area.join(' '));
  for (const shape of picture.querySelectorAll<SVGGraphicsElement>('a')) {
    const box = shape.getBBox();
    const isOutside =
      box.x > x + width || box.x + box.width < x || box.y > y + height || box.y + box.height < y;
    shape.style.display = isOutside ? 'none' : '';
  }
}

/** Square root, so that small numbers remain visible next to large ones. */
const strength = (part: number): number => 0.15 + 0.85 * Math.sqrt(part);

let drawings = 0;

/** Draws nothing if the panel shows something else by the time the shapes have been loaded. */
export async function drawMap(
  into: HTMLElement,
  tab: TabInfo,
  rows: readonly ListRow[],
  links: RowLinks | null,
): Promise<void> {
  drawings += 1;
  const mine = String(drawings);
  into.dataset.map = mine;
  const shapes: Shapes | undefined = await import('./world-map-shapes.json').catch(() => undefined);
  if (into.dataset.map !== mine) return;
  if (shapes === undefined) {
    into.replaceChildren(element('p', 'The map cannot be loaded. Reload the page.', 'fault'));
    return;
  }
  const { width, height, countries } = shapes;
  const byCode = new Map(rows.map((row) => [row.value, row]));
  const [measure] = tab.measures;
  const count = (row: ListRow) => row.numbers[0] ?? 0;
  const largest = rows.reduce((max, row) => (row.value === null ? max : Math.max(max, count(row))), 1);
  const outlines = Object.entries(countries).map(([code, d]) => {
    const row = byCode.get(code);
    const path = svg('path', { d });
    if (row === undefined) return path;
    const words = `${localizedName('country', code)}: ${withUnit(count(row), 'count')} ${measure?.label.toLowerCase() ?? ''}`;
    path.style.setProperty('--strength', `${strength(count(row) / largest) * 100}%`);
    path.classList.add('found');
    const title = svg('title', {}, [words]);
    if (links === null) {
      path.append(title);
      return path;
    }
    const place = links.place(code);
    const current = place === 'none' ? {} : { 'aria-current': 'true' };
    const attributes = {
      href: links.address(code, place),
      'aria-label': words,
      'data-key': code,
      ...current,
    };
    const link = svg('a', attributes, [title, path]);
    onPlainClick(link, () => links.go(code, place));
    return link;
  });
  const picture = svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      class: 'world-map',
      role: 'group',
      'aria-label': 'Visitors by country, on a map',
    },
    outlines,
  );
  const hidden = rows.filter(({ value }) => value !== null && !(value in countries)).length;
  const unknown = rows.find(({ value }) => value === null);
  const note = [
    ...(hidden === 0 ? [] : [`${hidden} ${hidden === 1 ? 'country is' : 'countries are'} not on the map`]),
    ...(unknown === undefined ? [] : [`unknown country: ${withUnit(count(unknown), 'count')}`]),
  ].join('; ');
  const world: Area = [0, 0, width, height];
  const zoom = button('', 'quiet', () => {
    isZoomed = !isZoomed;
    show();
  });
  const show = (): void => {
    zoom.textContent = isZoomed ? 'Whole world' : 'Zoom to Europe';
    showArea(picture, isZoomed ? EUROPE : world);
  };
  replaceKeepingFocus(into, [picture, element('p', [zoom, ' ', note], 'panel-note')]);
  show();
  into.dataset.map = 'drawn';
}
