// Random goals, files and import orders: the stored conversions must equal those of a simple interpreter.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { conversionsOf, type Measured } from '../../language/interpreter/reading/materials/conversions';
import { tries } from '../../support/long-run';
import { useTestDatabase } from '../../support/use-database';
import { manifest, TINY } from './import-setup';

const database = useTestDatabase();

const AT = 1_770_000_000;
const TEXTS = ["a'b", 'a"b', '100%', '_x_', 'back\\slash', '😀', 'é', ' ', '$1', '{}', 'a\nb', 'xxx'];
const URLS = TEXTS.flatMap((text, index) => [`https://e/${text}`, `https://e/${text}/${index}/`]);
const PATTERNS = [
  '/\\d/$',
  'x{3,}',
  '[%_]',
  '(a|b)+\\b',
  '^h.*😀',
  '\\\\',
  "'",
  '(a+)+$',
  '/\\W$',
  '[\\x61-f].b',
  '/.$',
];

interface Random {
  below(n: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): readonly T[];
}

function random(seed: number): Random {
  let state = seed;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % n;
  };
  const pick = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  const shuffled = <T>(items: readonly T[]): readonly T[] =>
    items
      .map((item) => ({ item, rank: below(1 << 20) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  return { below, pick, shuffled };
}

const someValue = ({ pick }: Random): unknown =>
  pick([1, 0, -1, 1.5, '1', '', true, null, "a'b", 1e15, 1e-7, { a: [1, { 'b.c': 2 }] }, { a: [1] }, []]);

function goalOf(it: Random, id: number): object {
  const { pick, below } = it;
  const condition = pick<() => object>([
    () => ({
      type: 'gtype_page',
      condition: { url: pick(URLS), match: pick(['exact', 'prefix', 'contains']) },
    }),
    () => ({ type: 'gtype_page', condition: { url: pick(PATTERNS), match: 'regex' } }),
    () => ({ type: 'url_match', condition: pick(TEXTS) }),
    () => ({ type: 'scroll_depth', condition: 1 + below(100) }),
    () => ({ type: 'click', condition: pick(TEXTS) }),
    () => ({ type: 'gtype_click', condition: { selector: pick(TEXTS) } }),
    () => ({ type: 'gtype_click', condition: { selector: pick(TEXTS), page: pick(URLS) } }),
    () => ({ type: 'gtype_event', condition: { event: pick(TEXTS) } }),
    () => ({ type: 'gtype_event', condition: { event: pick(TEXTS), v: someValue(it) } }),
  ])();
  return { id, name: `Goal ${id}`, ...condition };
}

const VIEWS = 60;

/** Files of all three materials. Each row is in exactly one file. */
function filesOf(it: Random): readonly { readonly material: string; readonly rows: readonly object[] }[] {
  const { below, pick } = it;
  const views = Array.from({ length: VIEWS }, (_, index) => ({
    pv_id: index + 1,
    url: pick(URLS),
    access_time: AT + below(40) * 600,
    ...(below(2) === 0 ? { session_id: 1 + below(12) } : { reader_id: 1 + below(6) }),
    ...(below(2) === 0 ? { depth_position: below(101) } : {}),
  }));
  const clicks = Array.from({ length: 120 }, () => ({
    pv_id: 1 + below(VIEWS),
    event_sec: below(3),
    selector: pick(TEXTS),
    ...(below(3) === 0 ? { page_x_pct: below(2) } : {}),
  }));
  const events = Array.from({ length: 120 }, () => ({
    pv_id: 1 + below(VIEWS),
    access_time: AT + below(100),
    event_name: pick(TEXTS),
    ...(below(4) === 0 ? {} : { params: { v: someValue(it), 'k.x': someValue(it) } }),
  }));
  const cut = (material: string, rows: readonly object[]) =>
    [0, 1, 2].map((part) => ({ material, rows: rows.filter((_, index) => index % 3 === part) }));
  return [...cut('allpv', views), ...cut('click_event', clicks), ...cut('datalayer_event', events)];
}

const rowsOf = async <T>(sql: string, site: string): Promise<readonly T[]> =>
  (
    await database.write.raw(`SELECT ${sql} JOIN analytics.site s USING (site_id) WHERE s.tracking_id = ?`, [
      site,
    ])
  ).rows;

const seconds = (column: string) => `extract(epoch FROM x.${column})::float8 AS ${column}`;
const IDS = 'x.site_id, x.pv_id::float8 AS pv_id, x.session_id::float8 AS session_id';

async function measured(site: string): Promise<Measured> {
  return {
    page_view: await rowsOf(
      `${IDS}, ${seconds('at')}, x.page_id, x.depth_position FROM analytics.page_view x`,
      site,
    ),
    page: await rowsOf('x.* FROM analytics.page x', site),
    selector: await rowsOf('x.* FROM analytics.selector x', site),
    click: await rowsOf(`${IDS}, x.selector_id FROM analytics.click x`, site),
    event: await rowsOf(`${IDS}, x.event_name_id, x.params FROM analytics.event x`, site),
    event_name: await rowsOf('x.* FROM analytics.event_name x', site),
    goal: await rowsOf('x.* FROM analytics.goal x', site),
  };
}

const shown = (rows: readonly { goal_no: number; session_id: number; pv_id: number; at: number }[]) =>
  rows.map((row) => `${row.goal_no}: ${row.session_id} ${row.pv_id} ${row.at}`).sort();

test.each([1, 2, 3, 4, 5, 6].slice(0, tries(2, 6)))('seed %i', async (seed) => {
  const it = random(seed);
  const site = `random-${seed}`;
  const goals = Array.from({ length: 10 }, (_, index) => goalOf(it, index + 1));
  const apply = (current: readonly object[]) =>
    applySites(database.write, {
      sites: [{ tracking_id: site, domain: 'e', name: site, timezone: 'UTC', goals: current }],
    });
  const files = filesOf(it);
  // The first pass may reject rows that come before their views; the second pass imports them.
  const order = [...it.shuffled(files), ...it.shuffled(files)];
  await apply(goals.slice(0, 5));
  for (const [index, { material, rows }] of order.entries()) {
    if (index === 5) await apply(goals);
    const limits = it.below(2) === 0 ? { limits: { ...TINY, rowHashes: 1000 } } : {};
    await importRows(database.write, manifest, { material, site, rows, onError: 'skip', ...limits });
  }
  const stored = await rowsOf<{ goal_no: number; session_id: number; pv_id: number; at: number }>(
    `x.goal_no, ${IDS}, ${seconds('at')} FROM analytics.conversion x`,
    site,
  );
  const expected = conversionsOf(await measured(site));
  expect(expected.length).toBeGreaterThan(0);
  expect(shown(stored)).toEqual(shown(expected));
});
