// Writes a small country database in MaxMind's format (https://maxmind.github.io/MaxMind-DB/), for IPv4 only.
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const SEPARATOR_BYTES = 16;

type Value = string | number | readonly Value[] | { readonly [name: string]: Value };
const TYPES = { text: 2, map: 7, number: 6 } as const;
/** Types above 7 are stored in a separate byte. */
const LIST = 11 - 7;

/** The type is in the upper three bits, and the size is in the lower five. All sizes here are small enough for this. */
const head = (type: number, size: number): Buffer => Buffer.from([(type << 5) | size]);

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

function encode(value: Value): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([head(TYPES.text, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([head(TYPES.number, bytes.length), bytes]);
  }
  if (isList(value)) return Buffer.concat([head(0, value.length), Buffer.from([LIST]), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([
    head(TYPES.map, entries.length),
    ...entries.flatMap(([name, one]) => [encode(name), encode(one)]),
  ]);
}

type Node = [Node | string | undefined, Node | string | undefined];

/** Returns a database that maps networks such as `203.0.113.0/24` to country codes. */
export function countryDatabase(
  countries: Readonly<Record<string, string>>,
  recordOf: (country: string) => Value = (country) => ({ country: { iso_code: country } }),
): Buffer {
  const root: Node = [undefined, undefined];
  for (const [network, country] of Object.entries(countries)) {
    const [address = '', length = '32'] = network.split('/');
    const bits = address
      .split('.')
      .flatMap((byte) => [...Number(byte).toString(2).padStart(8, '0')].map(Number));
    let node = root;
    for (const [place, bit] of bits.slice(0, Number(length)).entries()) {
      const side = bit === 0 ? 0 : 1;
      const below = node[side];
      if (place === Number(length) - 1) node[side] = country;
      else if (Array.isArray(below)) node = below;
      else {
        const created: Node = [undefined, undefined];
        node[side] = created;
        node = created;
      }
    }
  }
  return serialize(root, recordOf);
}

function serialize(root: Node, recordOf: (country: string) => Value): Buffer {
  const nodes: Node[] = [root];
  for (const node of nodes) for (const below of node) if (Array.isArray(below)) nodes.push(below);
  const data: Buffer[] = [];
  const places = new Map<string, number>();
  const placeOf = (country: string): number => {
    const known = places.get(country);
    if (known !== undefined) return known;
    const place = data.reduce((sum, { length }) => sum + length, 0);
    places.set(country, place);
    data.push(encode(recordOf(country)));
    return place;
  };
  const record = (below: Node[number]): number => {
    if (below === undefined) return nodes.length;
    return Array.isArray(below) ? nodes.indexOf(below) : nodes.length + SEPARATOR_BYTES + placeOf(below);
  };
  const tree = Buffer.concat(
    nodes.map(([left, right]) => {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(record(left));
      bytes.writeUInt32BE(record(right), 4);
      return bytes;
    }),
  );
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    database_type: 'Test-Country',
    ip_version: 4,
    node_count: nodes.length,
    record_size: 32,
  };
  return Buffer.concat([tree, Buffer.alloc(SEPARATOR_BYTES), ...data, MARKER, encode(metadata)]);
}
