// Program: writes the shapes of the countries on the dashboard's map, from Natural Earth (public domain, in the package world-atlas), by
// ISO 3166-1 alpha-2 code and in integer coordinates.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

const TARGET = join(__dirname, '../extension/pages/browser/dashboard/world-map-shapes.json');
const WIDTH = 960;
/** The map's limits in degrees. Its left edge is in the Bering Strait, so that few countries cross it. Antarctica is omitted. */
const EDGE = -169.5;
const NORTH = 80;
const SOUTH = -56;

/** Miller's cylindrical projection, in multiples of the equator's length. */
function heightAt(latitude: number): number {
  const angle = (Math.min(NORTH, Math.max(SOUTH, latitude)) * Math.PI) / 180;
  return (1.25 * Math.log(Math.tan(Math.PI / 4 + 0.4 * angle))) / (2 * Math.PI);
}

const xOf = (longitude: number): number =>
  Math.round(((longitude < EDGE ? longitude + 360 : longitude) - EDGE) * (WIDTH / 360));
const yOf = (latitude: number): number => Math.round((heightAt(NORTH) - heightAt(latitude)) * WIDTH);
const HEIGHT = yOf(SOUTH);

/** Names in Natural Earth that differ from those in Unicode. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'Bosnia and Herz.': 'BA',
  'Central African Rep.': 'CF',
  Congo: 'CG',
  "Côte d'Ivoire": 'CI',
  Czechia: 'CZ',
  'Dem. Rep. Congo': 'CD',
  'Dominican Rep.': 'DO',
  'Eq. Guinea': 'GQ',
  'Falkland Is.': 'FK',
  'Fr. S. Antarctic Lands': 'TF',
  Kosovo: 'XK',
  Macedonia: 'MK',
  Myanmar: 'MM',
  'N. Cyprus': 'CY',
  Palestine: 'PS',
  'S. Sudan': 'SS',
  'Solomon Is.': 'SB',
  Somaliland: 'SO',
  'Trinidad and Tobago': 'TT',
  Turkey: 'TR',
  'United States of America': 'US',
  'W. Sahara': 'EH',
  eSwatini: 'SZ',
};

function codesByName(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  // Codes of former countries share names with codes in use.
  const codes = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => new Intl.Locale(`und-${code}`).region === code);
  const known = codes.flatMap((code) => {
    const name = names.of(code);
    return name === undefined ? [] : [[name, code] as const];
  });
  return new Map([...known, ...Object.entries(OTHER_NAMES)]);
}

type Ring = readonly (readonly number[])[];

function pathOf(ring: Ring): string {
  const moves: string[] = [];
  let start = '';
  let [x, y] = [0, 0];
  for (const [longitude = 0, latitude = 0] of ring) {
    let nextX = xOf(longitude);
    const nextY = yOf(latitude);
    if (start === '') start = `M${nextX} ${nextY}l`;
    else {
      // A country that crosses the edge is drawn beyond it.
      if (nextX - x > WIDTH / 2) nextX -= WIDTH;
      else if (x - nextX > WIDTH / 2) nextX += WIDTH;
      if (nextX !== x || nextY !== y) moves.push(`${nextX - x} ${nextY - y}`);
    }
    [x, y] = [nextX, nextY];
  }
  return moves.length < 3 ? '' : `${start}${moves.join(' ').replaceAll(' -', '-')}z`;
}

interface Atlas extends Topology {
  readonly objects: { countries: GeometryCollection<{ name: string }> };
}

const atlas: Atlas = JSON.parse(readFileSync(require.resolve('world-atlas/countries-110m.json'), 'utf8'));
const codes = codesByName();
const shapes = new Map<string, string>();
for (const { properties, geometry } of feature(atlas, atlas.objects.countries).features) {
  if (properties.name === 'Antarctica') continue;
  const code = codes.get(properties.name);
  if (code === undefined) throw new Error(`${properties.name} has no code.`);
  if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon')
    throw new Error(`${properties.name} is not an area.`);
  const polygons: readonly (readonly Ring[])[] =
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const path = polygons.flatMap((rings) => rings.map(pathOf)).join('');
  shapes.set(code, (shapes.get(code) ?? '') + path);
}
const countries = Object.fromEntries([...shapes].sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(TARGET, `${JSON.stringify({ width: WIDTH, height: HEIGHT, countries }, null, 2)}\n`);
