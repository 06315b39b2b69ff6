// Random imports, corrections, undos and removals on one site.
import fc from 'fast-check';
import type { Removed } from '../../../extension/data/removal/remove-data';
import { AT } from './import-setup';
import { dayOf, FIRST_AT, type FileRow, type ImportedFile, keyOf, MATERIALS } from './site-model';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const compact = (row: FileRow): FileRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

const UNTIL_MIDNIGHT = 86_400 - (AT % 86_400);
/** A time around midnight. The steps make some gaps shorter and some longer than the 30 minutes that end a session. */
const secondOf = fc.integer({ min: -4, max: 6 }).map((step) => AT + UNTIL_MIDNIGHT + step * 1000);
const viewId = fc.integer({ min: 1, max: 8 });

const VISITORS = ['a', 'b', 'c', 'seven', 'eight', 'nobody'];

/** A view with an id, or one that is identified by its time, URL and visitor. No two are in the same second. */
const view = fc
  .record({
    number: viewId,
    hasId: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
    at: secondOf,
    page: fc.integer({ min: 1, max: 3 }),
    who: fc.constantFrom(...VISITORS),
    title: maybe(fc.constantFrom('x', 'y', 'z')),
    utm_source: maybe(fc.constantFrom('news', 'mail')),
    utm_campaign: fc.option(fc.constantFrom('spring', 'autumn'), { nil: undefined, freq: 3 }),
    browse_sec: maybe(fc.integer({ min: 1, max: 3 })),
    pv: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 4 }),
    session_id: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 4 }),
    os: maybe(fc.constantFrom('Linux', 'Windows')),
    first: fc.option(fc.tuple(secondOf, viewId), { nil: undefined, freq: 4 }),
  })
  .map(({ at, page, who, number, hasId, first, ...rest }) =>
    compact({
      ...rest,
      [FIRST_AT]: first && first[0] + first[1],
      ...(hasId
        ? { pv_id: number, access_time: at + number, url: `https://example.com/${page}?${number}` }
        : { access_time: at + 10 + page + 10 * VISITORS.indexOf(who), url: `https://example.com/${page}` }),
      ...(who === 'seven' && { reader_id: 7, original_id: 'seven' }),
      ...(who === 'eight' && { reader_id: 8, original_id: 'eight' }),
      ...(who.length === 1 && { original_id: who }),
    }),
  );

/** The view or visitor that a click or event belongs to. */
const owner = fc.oneof(
  viewId.map((pv_id) => ({ pv_id })),
  fc.constantFrom({ reader_id: 7 }, { reader_id: 8 }, { session_id: 1 }, { session_id: 2 }),
);

const click = fc
  .record({
    owner,
    at: secondOf,
    event_sec: fc.constantFrom(0, 5, 4000),
    selector: fc.constantFrom('#a', '#b'),
    element_text: maybe(fc.constantFrom('Buy', 'Sell')),
  })
  .map(({ owner: ids, at, event_sec, ...rest }) =>
    compact({ ...rest, ...ids, ...('pv_id' in ids ? { event_sec } : { access_time: at + 500 }) }),
  );

const event = fc
  .record({
    owner,
    at: secondOf,
    event_name: fc.constantFrom('buy', 'see'),
    params: fc.constantFrom({}, { size: 2 }, { size: 'big' }, { size: 2, color: 'red' }),
  })
  .map(({ owner: ids, at, ...rest }) => ({ ...rest, ...ids, access_time: at + 500 }));

const search = fc
  .record({
    day: secondOf,
    page: fc.integer({ min: 1, max: 3 }),
    keyword: fc.constantFrom('tea', 'cup'),
    clicks: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ day, page, keyword, clicks }) => ({
    date: dayOf(day),
    url: `https://example.com/${page}`,
    keyword,
    search_type: 'web',
    clicks,
    impressions: 10 * clicks + 1,
    position: clicks + 1,
  }));

const visitorsOf = <T extends Readonly<Record<string, fc.Arbitrary<unknown>>>>(group: T) =>
  fc.record({
    date: fc.constantFrom('2026-02-01', '2026-03-01'),
    ...group,
    sessions: fc.integer({ min: 1, max: 3 }),
    active_users: fc.integer({ min: 1, max: 3 }),
  });
const country = visitorsOf({ country_code: fc.constantFrom('DE', 'JP') });
const age = visitorsOf({ age: fc.constantFrom(0, 3), gender: fc.constantFrom(1, 2) });
/** Only some rows contain a region name. */
const region = visitorsOf({
  region: fc.constantFrom(1, 2),
  region_name: maybe(fc.constantFrom('Bavaria', 'Bayern')),
}).map(compact);

const version = fc
  .record({
    version_id: fc.integer({ min: 1, max: 4 }),
    page: fc.integer({ min: 1, max: 2 }),
    device_type: fc.constantFrom('PC', 'SP'),
    version_no: fc.integer({ min: 1, max: 3 }),
    day: secondOf,
  })
  .map(({ page, day, ...rest }) => ({
    ...rest,
    url: `https://example.com/${page}`,
    update_date: dayOf(day),
  }));

const ROWS: Readonly<Record<string, fc.Arbitrary<FileRow>>> = {
  allpv: view,
  click_event: click,
  datalayer_event: event,
  gsc: search,
  ga4_country: country,
  ga4_age_gender: age,
  ga4_region: region,
  page_version: version,
};
const KEY_OF_FILE: Readonly<Record<string, (row: FileRow) => string>> = {
  allpv: (row) => keyOf('allpv', row),
  page_version: (row) => keyOf('page_version', row),
};

export type Removing = Exclude<Removed, { readonly kind: 'site' }>;
export type Action =
  | ({ readonly kind: 'import'; readonly pieces: number } & Omit<ImportedFile, 'kind'>)
  | { readonly kind: 'again' | 'undo' | 'redo'; readonly which: number }
  /** Visits that ended before this second are removed by retention. */
  | { readonly kind: 'retention'; readonly before: number }
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

/** The values that identify a row within its material. No two rows in a file share all of them. */
const uniqueKey = ({
  pv_id,
  session_id,
  reader_id,
  event_sec,
  selector,
  access_time,
  event_name,
  params,
  ...row
}: FileRow) =>
  JSON.stringify([
    pv_id,
    session_id,
    reader_id,
    event_sec,
    selector,
    access_time,
    event_name,
    params,
    row.date,
    row.url,
    row.keyword,
    row.country_code,
    row.age,
    row.gender,
    row.region,
  ]);

const days = fc
  .tuple(fc.constantFrom(-1, 0, 1), fc.constantFrom(0, 0, 1), fc.constantFrom(undefined, ...MATERIALS))
  .map(([first, more, material]): Action => {
    const from = AT + UNTIL_MIDNIGHT + first * 86_400;
    return { kind: 'days', from: dayOf(from), to: dayOf(from + more * 86_400), material };
  });

export const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: rowsOf('allpv') },
  { weight: 2, arbitrary: rowsOf('click_event') },
  { weight: 2, arbitrary: rowsOf('datalayer_event') },
  { weight: 1, arbitrary: rowsOf('gsc') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('ga4_country', 'ga4_age_gender', 'ga4_region').chain(rowsOf),
  },
  { weight: 1, arbitrary: rowsOf('page_version') },
  { weight: 6, arbitrary: fc.nat({ max: 9 }).map((which): Action => ({ kind: 'undo', which })) },
  { weight: 2, arbitrary: fc.nat({ max: 9 }).map((which): Action => ({ kind: 'redo', which })) },
  { weight: 1, arbitrary: fc.nat({ max: 9 }).map((which): Action => ({ kind: 'again', which })) },
  { weight: 2, arbitrary: days },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0, 1)
      .map((day): Action => ({ kind: 'retention', before: AT + UNTIL_MIDNIGHT + day * 86_400 })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('a', 'b', 'eight')
      .map((originalId): Action => ({ kind: 'visitor', originalId })),
  },
);
