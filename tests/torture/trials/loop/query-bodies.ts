// The slowest queries that a client can send: as large as allowed, and designed to be slow.

const LIMIT = 256 * 1024;
export const repeated = (text: string, characters: number): string => text.repeat(characters / text.length);

/** Returns how many times a value fits into a body, given the limits on size and on the number of keys, objects and lists. */
const timesOf = (value: unknown, more: number, isMember: boolean): number => {
  const text = JSON.stringify(value);
  const counted = (text.match(/[[{:]/g)?.length ?? 0) + (isMember ? 1 : 0);
  return Math.floor(Math.min((LIMIT - 2_000) / (text.length + more), 19_900 / counted));
};
/** An object with as many members as a body may have. */
const members = (value: unknown, prefix = 'k', max = Number.POSITIVE_INFINITY) =>
  Object.fromEntries(
    Array.from({ length: Math.min(max, timesOf(value, prefix.length + 9, true)) }, (_, place) => [
      prefix + place,
      value,
    ]),
  );
const list = (value: unknown): unknown[] => Array(timesOf(value, 1, false)).fill(value);

const VIEW = { from: ['allpv'], keep: ['allpv.url'] };
export const BASE = {
  tracking_id: 'site0001',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
  make: { v: VIEW as unknown },
  result: { use: 'v' } as object,
};
const LONG = 240_000;
const withView = (more: object) => ({ ...BASE, make: { v: { ...VIEW, ...more } } });
const calcs = (text: string, count: number) =>
  withView({ calc: Object.fromEntries(Array.from({ length: count }, (_, place) => [`n${place}`, text])) });
const columns = Array.from({ length: 250 }, (_, place) => [`n${place}`, 'MAX(allpv.url)'] as const);
const chain = Object.fromEntries(
  Array.from({ length: 64 }, (_, place) => [
    `v${place}`,
    { ...(place === 0 ? VIEW : { from: [`v${place - 1}`], keep: ['url'] }), calc: { n: 'COUNT(url)' } },
  ]),
);

/** As many views and columns as allowed, each with this calc. */
const views = (view: object, text: string) => {
  const times = Math.floor((LIMIT - 2_000) / 64 / (text.length + 9));
  const calc = Object.fromEntries(
    Array.from({ length: Math.min(times, 255) }, (_, place) => [`n${place}`, text]),
  );
  return { ...BASE, make: members({ ...view, calc }, 'v', 64) };
};

export const QUERIES: Readonly<Record<string, unknown>> = {
  'unknown keys': { ...BASE, ...members(1) },
  'keys in a view': withView(members(1)),
  views: { ...BASE, make: members(VIEW) },
  'views that read from each other': { ...BASE, make: chain, result: { use: 'v63' } },
  'filters on unknown columns': withView({ filter: members(1) }),
  'filters on similar names': withView({ filter: members({ eq: 1 }, 'ur') }),
  'operators in a filter': withView({ filter: { url: members(1) } }),
  'values in a filter': withView({ filter: { url: { in: list('https://a') } } }),
  'as many filters as allowed': withView({
    filter: Object.fromEntries(
      ['url', 'title', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign'].map((name) => [
        name,
        { in: Array.from({ length: 1_000 }, (_, place) => `${name}${place}${'x'.repeat(20)}`) },
      ]),
    ),
  }),
  any: withView({ filter: { any: list({ url: 'a' }) } }),
  'any of any': withView({ filter: { any: list({ any: [{ url: 1 }] }) } }),
  'kept columns': withView({ keep: list('allpv.url') }),
  'kept columns with similar names': withView({ keep: list('allpv.urll') }),
  'kept columns with different similar names': withView({ keep: Object.keys(members(1, 'allpv.ur')) }),
  materials: { ...BASE, materials: list({ name: 'allpv' }) },
  'unknown materials': { ...BASE, materials: Object.keys(members(1, 'al')).map((name) => ({ name })) },
  sources: withView({ from: list('allpv') }),
  calcs: withView({ calc: members('COUNT(allpv.pv_id)') }),
  'calcs with unknown functions': withView({ calc: members('COUNTT(allpv.pv_id)') }),
  'views with unknown functions': views(VIEW, 'A(a.b)'),
  'views with valid functions': views(VIEW, 'SUM(a.b)'),
  'views with invalid calcs': views(VIEW, '1'),
  'views with invalid conditions': {
    ...BASE,
    make: members({ ...VIEW, filter: members({ eq: [] }, 'k', 140) }, 'v', 64),
  },
  'filters with lists': withView({ filter: members([]) }),
  'filters with invalid operands': withView({ filter: members({ eq: [] }) }),
  'filters with lists of objects': withView({ filter: members([{}]) }),
  'lists of invalid values': withView({ filter: members(Array(90).fill({})) }),
  'values that are not names': withView({ keep: list(1) }),
  'invalid values in add': withView({ calc: { n: 'SUM(allpv.pv)' }, add: list(1) }),
  'unknown names in add': { ...withView({ calc: { n: 'SUM(allpv.pv)' }, add: Object.keys(members(1)) }) },
  'values that are not pairs': withView({ join: { with: 'allpv', on: list(1) } }),
  'values that are not materials': { ...BASE, materials: list(1) },
  // biome-ignore lint/suspicious/noThenProperty: it is a key in the query language.
  'values that are not sort keys': withView({ sort: { by: 'url', order: 'asc', then: list(1) } }),
  'filters on names from other products': withView({ filter: members({ eq: 1 }, 'a.b.path.x') }),
  'as many calcs as allowed': calcs('MAX(allpv.url)', 250),
  'calcs with conditions': calcs(`SUM(CASE WHEN url = '${'x'.repeat(900)}' THEN 1 ELSE 0 END)`, 240),
  'calcs with many subtractions': calcs(`${repeated('COUNT(allpv.pv_id)-', 980)}1`, 250),
  'calcs with many divisions': calcs(`${repeated('COUNT(allpv.pv_id)/', 590)}2`, 250),
  'calcs full of parentheses': calcs(repeated('(', 1_000), 250),
  'long calcs': calcs(repeated('1+', 9_990), 25),
  'a long percentage': calcs(`PERCENTILE(allpv.pv,${repeated(' ', 9_900)}9 5)`, 25),
  'a calc that is one long string': calcs(repeated('a ', LONG), 1),
  'calcs as objects': withView({ calc: members({ function: 'COUNT', column: 'allpv.pv_id' }) }),
  'calcs as nested objects': withView({ calc: { n: nested('SUM', 60_000) } }),
  // biome-ignore lint/suspicious/noThenProperty: it is a key in the query language.
  'sort keys': withView({ sort: { by: 'url', order: 'asc', then: list({ by: 'url', order: 'asc' }) } }),
  'pairs in a join': withView({
    join: { with: 'allpv', on: list({ left: 'allpv.url', right: 'allpv.url' }) },
  }),
  'a long name': { ...BASE, make: { [repeated('a_', LONG)]: VIEW } },
  'a long key next to qal': { qal: BASE, [repeated('a', LONG)]: 1 },
  'a long filter string': withView({ filter: repeated("url = 'a' AND ", LONG) }),
  'a long filter value': withView({ filter: { url: { contains: repeated('%_', LONG) } } }),
  'a long time': { ...BASE, time: { ...BASE.time, start: repeated('2026-', LONG) } },
  'a long zone': { ...BASE, time: { ...BASE.time, tz: repeated('Europe/', LONG) } },
  'a long site': { ...BASE, tracking_id: repeated('site', LONG) },
  'a wide query': {
    ...BASE,
    make: Object.fromEntries(
      Array.from({ length: 64 }, (_, place) => [
        `v${place}`,
        {
          ...VIEW,
          calc: Object.fromEntries(columns.slice(0, 100).map(([name]) => [name, 'MAX(allpv.url)'])),
        },
      ]),
    ),
    result: { use: 'v63' },
  },
  'a chain of wide views': {
    ...BASE,
    make: Object.fromEntries(
      Array.from({ length: 12 }, (_, place) => [
        `v${place}`,
        place === 0
          ? { ...VIEW, calc: Object.fromEntries(columns) }
          : {
              from: [`v${place - 1}`],
              keep: ['url', ...columns.map(([name]) => name)].map((it) => `v${place - 1}.${it}`),
            },
      ]),
    ),
    result: { use: 'v11' },
  },
};

function nested(key: string, depth: number): string {
  return `NEST ${key} ${depth}`;
}

/** Built as text, because JSON.stringify cannot serialize deeply nested values. */
function textOf(query: unknown): string {
  return JSON.stringify(query).replace(/"NEST (\w+) (\d+)"/, (_text, key: string, depth: string) => {
    const times = Math.floor((LIMIT - 2_000) / (key.length + 6));
    return `${`{"${key}":`.repeat(Math.min(Number(depth), times))}1${'}'.repeat(Math.min(Number(depth), times))}`;
  });
}

const TEXTS: Readonly<Record<string, string>> = {
  'lists within lists': repeated('[', LIMIT - 10),
  'objects within objects': repeated('{"a":', LIMIT - 10),
  'an unterminated string': `{"a":"${repeated('x', LIMIT - 20)}`,
  comments: repeated('/**/', LIMIT - 10),
  commas: `{${repeated(',', LIMIT - 10)}}`,
  'SQL as the body': repeated('SELECT url FROM allpv WHERE ', LIMIT - 100),
  'a key repeated many times': `{${repeated('"a":1,', LIMIT - 100)}"a":1}`,
  'almost valid JSON': `${JSON.stringify(BASE).slice(0, -1)},${repeated('"a":1 ', LIMIT - 1_000)}}`,
};

/** Pairs of a name and a request body. */
export const queryBodies = Object.entries({
  ...Object.fromEntries(Object.entries(QUERIES).map(([name, query]) => [name, textOf(query)])),
  ...TEXTS,
}).filter(([, body]) => body.length <= LIMIT);
