// Completion in the editor. `|` is the cursor.
import { type Candidate, completeQuery } from '../../../extension/pages/browser/playground/complete-query';
import { SITES, siteCatalogue } from './site-catalogue';

const knowledge = { catalogue: siteCatalogue(), sites: SITES };

function at(marked: string, version?: string) {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const used = version === undefined ? knowledge : { ...knowledge, catalogue: siteCatalogue(version) };
  return { text, completion: completeQuery(text, offset, used) };
}

const labels = (marked: string, version?: string): readonly string[] =>
  at(marked, version).completion?.candidates.map(({ label }) => label) ?? [];

/** The text after a candidate was chosen, with `|` as the cursor. */
function chosen(marked: string, label: string): string {
  const { text, completion } = at(marked);
  const candidate: Candidate | undefined = completion?.candidates.find((it) => it.label === label);
  if (completion === null || candidate === undefined) throw new Error(`${label} is not offered.`);
  const { apply, caret = apply.length } = candidate;
  const written = `${apply.slice(0, caret)}|${apply.slice(caret)}`;
  return text.slice(0, completion.from) + written + text.slice(completion.to);
}

/** Wraps a view in a query. */
const inView = (view: string, before = ''): string =>
  `{"materials": [{"name": "allpv"}, {"name": "click_event"}], "make": {${before}"v": {${view}}}, "result": {"use": "v"}}`;

describe('keys', () => {
  test('of the query, except those already written', () => {
    expect(labels('{"tracking_id": "shop", |}')).toEqual(['materials', 'time', 'make', 'result']);
  });

  test('of a view, each with its meaning', () => {
    const { completion } = at(inView('"from": ["allpv"], "|"'));
    expect(completion?.candidates.map(({ label }) => label)).toEqual([
      'keep',
      'time',
      'filter',
      'join',
      'calc',
      'add',
      'sort',
      'fill_periods',
    ]);
    expect(completion?.candidates[0]?.about).toContain('Columns to output, as material.column');
  });

  test("of a view's time, which has no zone", () => {
    expect(labels(inView('"from": ["allpv"], "time": {|}'))).toEqual(['start', 'end']);
  });

  test('of an older contract', () => {
    expect(labels(inView('"from": ["allpv"], "|"'), '2025-10-20')).toEqual(['keep']);
  });

  test('inside the wrapper', () => {
    expect(labels('{"qal": {"make": {"v": {"sort": {|}}}}}')).toEqual(['by', 'order', 'top', 'then', 'per']);
  });

  test('are completed with a colon and the brackets for the value', () => {
    expect(chosen('{|}', 'materials')).toBe('{"materials": [|]}');
    expect(chosen('{"mat|"}', 'materials')).toBe('{"materials": [|]}');
    expect(chosen('{mak|}', 'make')).toBe('{"make": {|}}');
    expect(chosen('{"tracking_id|": "shop"}', 'tracking_id')).toBe('{"tracking_id|": "shop"}');
    expect(chosen('{"result": {"count_only"|}}'.replace('"|', '|"'), 'count_only')).toBe(
      '{"result": {"count_only": |}}',
    );
  });

  test.each([
    ['any', '"filter": {"any": [FILTER]}'],
    ['none', '"filter": {"none": [{}, FILTER]}'],
    ['any in none in any', '"filter": {"any": [{"url": ["/a"], "none": [{"any": [FILTER]}]}]}'],
    ['a calc', '"calc": {"n": {"of": "COUNT(allpv.pv_id)", "filter": {"none": [FILTER]}}}'],
  ])('of a filter inside %s are the same columns, with their operators and values', (_name, around) => {
    const inList = (filter: string) => inView(`"from": ["allpv"], ${around.replace('FILTER', filter)}`);
    expect(labels(inList('{"|"}'))).toContain('browse_sec');
    expect(labels(inList('{"url": {"|"}}'))).toContain('contains');
    expect(labels(inList('{"browse_sec": {"|"}}'))).not.toContain('contains');
    expect(labels(inList('{"device_type": {"neq": "|"}}'))).toContain('PC');
  });

  test('of a filter inside a list include the other kind of list, up to the third level', () => {
    const inFilter = (filter: string) => labels(inView(`"from": ["allpv"], "filter": ${filter}`));
    const lists = (names: readonly string[]) => names.filter((name) => name === 'any' || name === 'none');
    expect(lists(inFilter('{"|"}'))).toEqual(['any', 'none']);
    expect(lists(inFilter('{"any": [{"|"}]}'))).toEqual(['none']);
    expect(lists(inFilter('{"none": [{"|"}]}'))).toEqual(['any']);
    expect(lists(inFilter('{"none": [{"any": [{"none": [{"|"}]}]}]}'))).toEqual([]);
  });

  test('for the other column of a comparison exclude the column itself and columns of other types', () => {
    const compared = labels(inView('"from": ["allpv"], "filter": {"browse_sec": {"gt": {"column": "|"}}}'));
    expect(compared).not.toContain('browse_sec');
    expect(compared).not.toContain('url');
  });

  test('of a filter are columns of the from side', () => {
    expect(labels(inView('"from": ["click_event"], "filter": {"|"}'))).toEqual([
      'any',
      'none',
      'pv_id',
      'selector',
    ]);
  });

  test.each([
    ['the from side', 'COUNT(allpv.pv_id)', true, false],
    ['the joined side', 'COUNT( click_event.pv_id)', false, true],
    ['the joined side of an expression', '100 * SUM(click_event.pv_id)', false, true],
    ['both sides, before it reads a column', '', true, true],
  ])("of a calc's filter are the columns of %s", (_name, of, hasFrom, hasJoined) => {
    const join = '"join": {"with": "click_event", "on": []}';
    const inCalc = (filter: string) =>
      inView(`"from": ["allpv"], ${join}, "calc": {"n": {"of": "${of}", "filter": ${filter}}}`);
    const columns = labels(inCalc('{"|"}'));
    expect(columns.includes('url')).toBe(hasFrom);
    expect(columns.includes('selector')).toBe(hasJoined);
    expect(columns.filter((name) => name === 'pv_id')).toHaveLength(1);
    expect(labels(inCalc('{"pv_id": {"|"}}'))).not.toContain('contains');
  });

  test('of a condition are the operators for the type of the column', () => {
    const operators = labels(inView('"from": ["allpv"], "filter": {"browse_sec": {"|"}}'));
    expect(operators).toContain('eq');
    expect(operators).not.toContain('contains');
    expect(labels(inView('"from": ["allpv"], "filter": {"url": {"|"}}'))).toContain('contains');
  });
});

describe('values', () => {
  test.each([
    ['sites', '{"tracking_id": "|"}', ['shop', 'blog', 'all']],
    [
      'materials that are not listed',
      '{"materials": [{"name": "allpv"}, {"name": "|"}]}',
      ['click_event', 'goal_1'],
    ],
    ["time zones, the site's first", '{"time": {"tz": "|"}}', ['Europe/Berlin', 'Asia/Tokyo', 'UTC']],
    ['days with data', '{"time": {"start": "|"}}', ['2026-08-01T00:00:00', '2026-10-31T00:00:00']],
    ['days of a view', inView('"time": {"end": "|"}'), ['2026-08-01T00:00:00', '2026-10-31T00:00:00']],
    ['materials of the query', inView('"from": ["|"]'), ['allpv', 'click_event']],
    [
      'earlier views, but no later ones',
      inView('"from": ["|"]', '"first": {"keep": ["allpv.url"]}, '),
      ['allpv', 'click_event', 'first'],
    ],
    [
      'columns of the source',
      inView('"from": ["click_event"], "keep": ["|"]'),
      ['click_event.pv_id', 'click_event.selector'],
    ],
    [
      'columns of an earlier view',
      inView(
        '"from": ["first"], "keep": ["|"]',
        '"first": {"from": ["allpv"], "keep": ["allpv.url"], "calc": {"n": "COUNT(allpv.pv_id)"}}, ',
      ),
      ['first.url', 'first.n'],
    ],
    [
      'columns of both sides',
      inView('"from": ["goal_1"], "join": {"with": "click_event"}, "keep": ["|"]'),
      ['goal_1.pv_id', 'click_event.pv_id', 'click_event.selector'],
    ],
    ['materials that can be joined', inView('"from": ["allpv"], "join": {"with": "|"}'), ['click_event']],
    [
      'keys on the left',
      inView('"from": ["allpv"], "join": {"with": "click_event", "on": [{"left": "|"}]}'),
      ['allpv.pv_id'],
    ],
    [
      'keys on the right',
      inView('"from": ["allpv"], "join": {"with": "click_event", "on": [{"right": "|"}]}'),
      ['click_event.pv_id'],
    ],
    ...(['left', 'right'] as const).map((side): [string, string, string[]] => [
      `any column of views on the ${side}`,
      inView(
        `"from": ["a"], "join": {"with": "b", "on": [{"${side}": "|"}]}`,
        '"a": {"from": ["allpv"], "keep": ["allpv.url"], "calc": {"n": "COUNT(allpv.pv_id)"}}, "b": {"from": ["allpv"], "keep": ["allpv.url"]}, ',
      ),
      side === 'left' ? ['allpv.url', 'allpv.n'] : ['b.url'],
    ]),
    [
      'the modes of a join for rows without a match',
      inView('"join": {"if not match": "|"}'),
      ['keep-left', 'drop', 'keep-both'],
    ],
    [
      'known values of a column',
      inView('"from": ["allpv"], "filter": {"device_type": "|"}'),
      ['PC', 'SP', 'tablet'],
    ],
    [
      'known values in a list',
      inView('"from": ["allpv"], "filter": {"device_type": ["PC", "|"]}'),
      ['PC', 'SP', 'tablet'],
    ],
    [
      'known values of a condition',
      inView('"from": ["allpv"], "filter": {"device_type": {"neq": "|"}}'),
      ['PC', 'SP', 'tablet'],
    ],
    ['functions', inView('"from": ["allpv"], "calc": {"n": "|"}'), ['COUNT', 'SUM', 'PERCENTILE']],
    [
      'columns that a function accepts',
      inView('"from": ["allpv"], "calc": {"n": "sum(|)"}'),
      ['allpv.pv_id', 'allpv.browse_sec'],
    ],
    ['names of calcs', inView('"calc": {"n": "", "m": ""}, "add": ["n", "|"]'), ['m']],
    [
      'columns of the output',
      inView(
        '"from": ["allpv"], "keep": ["allpv.url"], "calc": {"n": "COUNT(allpv.pv_id)"}, "sort": {"by": "|"}',
      ),
      ['url', 'n'],
    ],
    ['orders', inView('"sort": {"order": "|"}'), ['asc', 'desc']],
    ['views', '{"make": {"a": {}, "b": {}}, "result": {"use": "|"}}', ['a', 'b']],
    ['true and false', '{"result": {"count_only": |}}', ['true', 'false']],
    ['brackets', '{"make": |}', ['{}']],
    ['brackets in empty text', '|', ['{}']],
  ])('%s', (_, marked, expected) => {
    expect(labels(marked)).toEqual(expected);
  });

  test('a goal is described by its name', () => {
    const { completion } = at('{"materials": [{"name": "|"}]}');
    expect(completion?.candidates.find(({ label }) => label === 'goal_1')?.about).toBe(
      'Goal 1: Anmeldung „groß“',
    );
  });

  test.each([
    ['{"tracking_id": "s|"}', 'shop', '{"tracking_id": "shop|"}'],
    ['{"tracking_id": |}', 'shop', '{"tracking_id": "shop"|}'],
    ['{"tracking_id": s|}', 'shop', '{"tracking_id": "shop"|}'],
    ['{"tracking_id": "s|', 'shop', '{"tracking_id": "shop"|'],
    [
      inView('"from": ["allpv"], "calc": {"n": "|"}'),
      'COUNT',
      inView('"from": ["allpv"], "calc": {"n": "COUNT(|)"}'),
    ],
    [
      inView('"from": ["allpv"], "calc": {"n": |}'),
      'SUM',
      inView('"from": ["allpv"], "calc": {"n": "SUM(|)"}'),
    ],
    [
      inView('"from": ["allpv"], "calc": {"n": "COUNT(al|)"}'),
      'allpv.url',
      inView('"from": ["allpv"], "calc": {"n": "COUNT(allpv.url|)"}'),
    ],
    [
      inView('"from": ["allpv"], "calc": {"n": "COUNT(al|"}'),
      'allpv.url',
      inView('"from": ["allpv"], "calc": {"n": "COUNT(allpv.url)|"}'),
    ],
    [
      inView('"from": ["allpv"], "calc": {"n": "COUNT(allpv.url) / |"}'),
      'SUM',
      inView('"from": ["allpv"], "calc": {"n": "COUNT(allpv.url) / SUM(|)"}'),
    ],
    [
      inView('"from": ["allpv"], "calc": {"n": "100 * (SUM(al|) - 2) / COUNT(allpv.url)"}'),
      'allpv.pv_id',
      inView('"from": ["allpv"], "calc": {"n": "100 * (SUM(allpv.pv_id|) - 2) / COUNT(allpv.url)"}'),
    ],
    [
      inView('"from": ["allpv"], "calc": {"n": "percentile(|)"}'),
      'allpv.pv_id',
      inView('"from": ["allpv"], "calc": {"n": "percentile(allpv.pv_id, 95|)"}'),
    ],
    [
      inView('"from": ["allpv"], "calc": {"n": "PERCENTILE(al|, 50)"}'),
      'allpv.pv_id',
      inView('"from": ["allpv"], "calc": {"n": "PERCENTILE(allpv.pv_id|, 50)"}'),
    ],
    [
      inView('"from": ["allpv"], "keep": ["allpv.u|rl"]'),
      'allpv.url',
      inView('"from": ["allpv"], "keep": ["allpv.url|"]'),
    ],
  ])('%s, completed with %s, becomes %s', (marked, label, after) => {
    expect(chosen(marked, label)).toBe(after);
  });
});

describe('nothing is suggested', () => {
  test.each([
    ['after a calculation', inView('"from": ["allpv"], "calc": {"n": "COUNT(allpv.url)|"}')],
    ['in a percentage', inView('"from": ["allpv"], "calc": {"n": "PERCENTILE(allpv.pv_id, |)"}')],
    ['after a value', '{"tracking_id": "shop"|}'],
    ['where any name is allowed', '{"make": {"|"}}'],
    ['where the source is unknown', inView('"from": ["nothing"], "keep": ["|"]')],
  ])('%s', (_, marked) => {
    expect(at(marked).completion).toBeNull();
  });
});
