// Imports in pieces and in any order, again, corrected, undone and redone, with days and visitors removed in between: the site
// then equals one that is filled at once with the rows that must be left. `make fuzz-imports` goes on until they differ.
import fc from 'fast-check';
import type { ImportOptions } from '../../extension/import/import-options';
import { importRows } from '../../extension/import/import-rows';
import { RemovalError, type Removed, removeData } from '../../extension/removal/remove-data';
import { UndoError, undoImport } from '../../extension/removal/undo-import';
import { applySites } from '../../extension/storage/sites/apply-sites';
import { useTestDatabase } from '../support/use-database';
import { AT, manifest, TINY } from './import-setup';
import { siteContents } from './site-contents';
import {
  dayOf,
  type FileRow,
  goneKeys,
  type ImportedFile,
  keyOf,
  MATERIALS,
  type RemovedPart,
  replay,
  type Step,
  visitorsNamed,
  withoutKeys,
} from './site-model';

const database = useTestDatabase();
const clock = () => new Date('2026-06-01T00:00:00Z');
const { FUZZ_RUNS, FUZZ_SEED = '20261122' } = process.env;
const RUNS = FUZZ_RUNS === undefined ? 10 : Number(FUZZ_RUNS);

const GOALS = [
  { id: 1, name: 'Page', type: 'gtype_page', condition: { url: '/2', match: 'contains' } },
  { id: 2, name: 'Click', type: 'gtype_click', condition: { selector: '#b' } },
  { id: 3, name: 'Event', type: 'gtype_event', condition: { event: 'buy', size: 2 } },
];

let sites = 0;
async function newSite(): Promise<string> {
  sites += 1;
  const tracking_id = `history-${sites}`;
  const site = { tracking_id, domain: 'example.com', name: tracking_id, timezone: 'UTC', goals: GOALS };
  await applySites(database.write, { sites: [site] });
  return tracking_id;
}

async function load(
  site: string,
  { material, rows }: Pick<ImportedFile, 'material' | 'rows'>,
  more: Partial<ImportOptions> = {},
): Promise<number> {
  const { importId } = await importRows(database.write, manifest, { material, rows, site, ...more });
  return importId ?? 0;
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const given = (row: FileRow): FileRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

const NIGHT = 86_400 - (AT % 86_400);
/** Around midnight, and around the half hour that ends a session. */
const secondOf = fc.integer({ min: -4, max: 6 }).map((step) => AT + NIGHT + step * 1000);
const viewId = fc.integer({ min: 1, max: 8 });

const view = fc
  .record({
    pv_id: viewId,
    at: secondOf,
    page: fc.integer({ min: 1, max: 3 }),
    who: fc.constantFrom('a', 'b', 'c', 'seven', 'eight', 'nobody'),
    title: maybe(fc.constantFrom('x', 'y', 'z')),
    utm_source: maybe(fc.constantFrom('news', 'mail')),
    utm_campaign: fc.option(fc.constantFrom('spring', 'autumn'), { nil: undefined, freq: 3 }),
    browse_sec: maybe(fc.integer({ min: 1, max: 3 })),
    pv: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 4 }),
    session_id: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 4 }),
    os: maybe(fc.constantFrom('Linux', 'Windows')),
  })
  .map(({ at, page, who, pv_id, ...rest }) =>
    given({
      ...{ ...rest, pv_id, access_time: at + pv_id, url: `https://example.com/${page}?${pv_id}` },
      ...(who === 'seven' && { reader_id: 7, original_id: 'seven' }),
      ...(who === 'eight' && { reader_id: 8, original_id: 'eight' }),
      ...(who.length === 1 && { original_id: who }),
    }),
  );

const click = fc
  .record({
    pv_id: maybe(viewId),
    reader_id: fc.constantFrom(7, 8),
    at: secondOf,
    event_sec: fc.constantFrom(0, 5, 4000),
    selector: fc.constantFrom('#a', '#b'),
    element_text: maybe(fc.constantFrom('Buy', 'Sell')),
  })
  .map(({ pv_id, reader_id, at, event_sec, ...rest }) =>
    given({
      ...rest,
      ...(pv_id === undefined ? { reader_id, access_time: at + 500 } : { pv_id, event_sec }),
    }),
  );

const event = fc
  .record({
    pv_id: viewId,
    at: secondOf,
    event_name: fc.constantFrom('buy', 'see'),
    params: fc.constantFrom({}, { size: 2 }, { size: 'big' }, { size: 2, color: 'red' }),
  })
  .map(({ at, ...rest }) => ({ ...rest, access_time: at }));

const search = fc
  .record({
    day: secondOf,
    page: fc.integer({ min: 1, max: 3 }),
    keyword: fc.constantFrom('tea', 'cup'),
    clicks: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ day, page, keyword, clicks }) => ({
    ...{ date: dayOf(day), url: `https://example.com/${page}`, keyword, search_type: 'web' },
    ...{ clicks, impressions: 10 * clicks + 1, position: clicks + 1 },
  }));

const country = fc.record({
  date: fc.constantFrom('2026-02-01', '2026-03-01'),
  country_code: fc.constantFrom('DE', 'JP'),
  sessions: fc.integer({ min: 1, max: 3 }),
  active_users: fc.integer({ min: 1, max: 3 }),
});

const ROWS: Readonly<Record<string, fc.Arbitrary<FileRow>>> = {
  ...{ allpv: view, click_event: click, datalayer_event: event, gsc: search, ga4_country: country },
};
const KEY_OF_FILE: Readonly<Record<string, (row: FileRow) => string>> = {
  allpv: ({ pv_id }) => String(pv_id),
};

type Removing = Exclude<Removed, { readonly kind: 'site' }>;
type Action =
  | ({ readonly kind: 'import'; readonly pieces: number } & Omit<ImportedFile, 'kind'>)
  | { readonly kind: 'again' | 'undo' | 'redo'; readonly which: number }
  | Removing;

const rowsOf = (material: string): fc.Arbitrary<Action> =>
  fc
    .record({
      rows: fc.uniqueArray(ROWS[material] ?? fc.constant({}), {
        selector: KEY_OF_FILE[material] ?? uniqueKey,
        minLength: 1,
        maxLength: 8,
      }),
      pieces: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ rows, pieces }) => ({ kind: 'import', material, rows, pieces }));

/** Everything that can identify a row of its material; two rows of one file never share it. */
const uniqueKey = ({
  pv_id,
  reader_id,
  event_sec,
  selector,
  access_time,
  event_name,
  params,
  ...row
}: FileRow) =>
  JSON.stringify([
    ...[pv_id, reader_id, event_sec, selector, access_time, event_name, params],
    ...[row.date, row.url, row.keyword, row.country_code],
  ]);

const days = fc
  .tuple(fc.constantFrom(-1, 0, 1), fc.constantFrom(0, 0, 1), fc.constantFrom(undefined, ...MATERIALS))
  .map(([first, more, material]): Action => {
    const from = AT + NIGHT + first * 86_400;
    return { kind: 'days', from: dayOf(from), to: dayOf(from + more * 86_400), material };
  });

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: rowsOf('allpv') },
  { weight: 2, arbitrary: rowsOf('click_event') },
  { weight: 2, arbitrary: rowsOf('datalayer_event') },
  { weight: 1, arbitrary: rowsOf('gsc') },
  { weight: 1, arbitrary: rowsOf('ga4_country') },
  { weight: 6, arbitrary: fc.nat({ max: 9 }).map((which): Action => ({ kind: 'undo', which })) },
  { weight: 2, arbitrary: fc.nat({ max: 9 }).map((which): Action => ({ kind: 'redo', which })) },
  { weight: 1, arbitrary: fc.nat({ max: 9 }).map((which): Action => ({ kind: 'again', which })) },
  { weight: 2, arbitrary: days },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('a', 'b', 'eight')
      .map((originalId): Action => ({ kind: 'visitor', originalId })),
  },
);

interface Entry {
  readonly step: Step;
  readonly importId?: number;
}

/** Runs the actions on a site, and keeps beside it what must be there. */
async function live(site: string, actions: readonly Action[]): Promise<readonly Step[]> {
  let entries: readonly Entry[] = [];
  let undone: readonly ImportedFile[] = [];
  const state = () => replay(entries.map(({ step }) => step));
  const follow = (next: readonly Entry[]): void => {
    const before = state();
    entries = next;
    const gone = goneKeys(before, state());
    entries = entries.map((entry) => ({ ...entry, step: withoutKeys(entry.step, gone) }));
  };
  const removed = (part: RemovedPart): void => {
    follow([...entries, { step: { ...part, isPast: false } }]);
    entries = [...entries.slice(0, -1), { step: { ...part, isPast: true } }];
  };
  const importFile = async (file: ImportedFile): Promise<void> => {
    // A click or an event without its page view would stop the file.
    const after = replay([...entries.map(({ step }) => step), file]).get(file.material);
    const rows = file.rows.filter((row) => after?.has(keyOf(file.material, row)));
    if (rows.length === 0) return;
    const importId = await load(site, { material: file.material, rows });
    entries = [...entries, { step: { ...file, rows }, importId }];
  };
  for (const one of actions) {
    const imports = entries.flatMap(({ step, importId }) =>
      step.kind === 'import' && importId !== undefined ? [{ step, importId }] : [],
    );
    switch (one.kind) {
      case 'import':
        for (const rows of piecesOf(one.rows, one.pieces))
          await importFile({ kind: 'import', material: one.material, rows });
        break;
      case 'again': {
        const found = imports[one.which % Math.max(1, imports.length)];
        if (found !== undefined) await importFile(found.step);
        break;
      }
      case 'redo': {
        const found = undone[one.which % Math.max(1, undone.length)];
        undone = undone.filter((file) => file !== found);
        if (found !== undefined) await importFile(found);
        break;
      }
      case 'undo': {
        // The newest ones most of the time: older ones wait for them.
        const found = imports[imports.length - 1 - (one.which % 4)];
        if (found === undefined) break;
        const first = await undo(found.importId);
        if (first === undefined) {
          undone = [...undone, found.step];
          follow(entries.filter(({ importId }) => importId !== found.importId));
        } else
          expect(imports.slice(imports.indexOf(found) + 1).map(({ importId }) => importId)).toContain(first);
        break;
      }
      case 'days':
        await remove(site, one);
        removed(one);
        break;
      case 'visitor': {
        const part = visitorsNamed(
          one.originalId ?? '',
          entries.map(({ step }) => step),
        );
        if (await remove(site, one)) removed(part);
        else expect(part.visitors.size).toBe(0);
        break;
      }
    }
  }
  return entries.map(({ step }) => step);
}

function piecesOf(rows: readonly FileRow[], pieces: number): readonly (readonly FileRow[])[] {
  return Array.from({ length: pieces }, (_, piece) =>
    rows.filter((_row, place) => place % pieces === piece),
  ).filter(({ length }) => length > 0);
}

/** Gives the import that must be undone first, if it is refused. */
async function undo(importId: number): Promise<number | undefined> {
  try {
    await undoImport({ write: database.write, manifest, importId, login: 'ann', clock });
    return undefined;
  } catch (error) {
    if (error instanceof UndoError && error.reason === 'later') return error.first;
    throw error;
  }
}

/** Gives whether there was something to look for. */
async function remove(trackingId: string, part: Removing): Promise<boolean> {
  try {
    await removeData({ write: database.write, manifest, trackingId, login: 'ann', clock }, part);
    return true;
  } catch (error) {
    if (error instanceof RemovalError && part.kind === 'visitor') return false;
    throw error;
  }
}

const LAST = {
  material: 'gsc',
  rows: [
    {
      ...{ date: '2026-01-01', url: 'https://example.com/', keyword: 'last', search_type: 'web' },
      ...{ clicks: 1, impressions: 1, position: 1 },
    },
  ],
};

test('a site with a history equals one that is filled at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 12 }), async (actions) => {
      const site = await newSite();
      const steps = await live(site, actions);
      // An import that lets all others be forgotten, with the texts that only their undo needed.
      await load(site, LAST, { undoableImports: 0 });
      const other = await newSite();
      for (const [material, rows] of replay(steps))
        if (rows.size > 0) await load(other, { material, rows: [...rows.values()] }, { limits: TINY });
      await load(other, LAST);
      expect(await siteContents(database.write, site)).toEqual(await siteContents(database.write, other));
    }),
    // Looking for a shorter history takes minutes.
    { seed: Number(FUZZ_SEED), numRuns: RUNS, endOnFailure: FUZZ_RUNS === undefined },
  );
}, 2_147_483_647);
