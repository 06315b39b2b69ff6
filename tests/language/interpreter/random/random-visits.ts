// Random page views on one site, in sessions, with clicks and events.

import type { Click, EventName, Json, LayerEvent, PageView, Tables } from '../reading/tables';
import { AMOUNTS, DISTANCES, MIXED, TEXTS } from './awkward-values';
import type { Dice } from './dice';

/** The pages, clock changes and lookup tables from which the random visits of a site are generated. */
export interface VisitContext {
  readonly site_id: number;
  readonly changes: readonly number[];
  readonly pageIds: readonly number[];
  readonly versionIds: readonly number[];
  /** Whether all views of a visit have the same source, device and country, as in real data. */
  readonly isSessionConstant: boolean;
  readonly tables: Pick<
    Tables,
    'source' | 'medium' | 'campaign' | 'content' | 'os' | 'browser' | 'language' | 'country'
  >;
}

const READERS = [1, 2, 3, 2_147_483_648, 4_000_000_000_000_001];
const LOCATIONS = [null, 1, 2];
/** Fields that are the same in all views of a visit in real data. */
const SESSION_CONSTANT = [
  ...(['source_id', 'medium_id', 'campaign_id', 'content_id', 'device_id', 'os_id'] as const),
  ...(['browser_id', 'language_id', 'country_id'] as const),
];
const FLAG = [true, false, false];

/** An instant near a clock change. */
const moment = (dice: Dice, changes: readonly number[]): number => dice.pick(changes) + dice.pick(DISTANCES);

/** Page views in a few sessions. Their ids are ordered neither by time nor by session. */
export function randomViews(dice: Dice, context: VisitContext, sessions: number): readonly PageView[] {
  const { site_id, changes, pageIds, isSessionConstant } = context;
  const sessionIds = dice.shuffled(Array.from({ length: sessions }, (_, index) => bigId(index + 1, 3)));
  const visits = sessionIds.map((session_id) => {
    const reader_id = dice.pick(READERS);
    const pages = Array.from({ length: 1 + dice.below(4) }, () => dice.pick(pageIds));
    let at = moment(dice, changes);
    const first = randomView(dice, context);
    const constants = isSessionConstant
      ? Object.fromEntries(SESSION_CONSTANT.map((field) => [field, first[field]]))
      : {};
    return pages.map((page_id, index) => {
      at += index === 0 ? 0 : dice.pick([0, 0, 1, 30, 1800, 7200]);
      return {
        ...(index === 0 ? first : randomView(dice, context)),
        ...constants,
        site_id,
        at,
        session_id,
        reader_id,
        page_id,
        pv: index + 1,
        is_last: index === pages.length - 1,
        prev_page_id: pages[index - 1] ?? 0,
        next_page_id: pages[index + 1] ?? 0,
      };
    });
  });
  const views = visits.flat();
  const ids = dice.shuffled(views.map((_, index) => bigId(index + 1, 5)));
  return views.map((view, index) => ({
    ...view,
    pv_id: ids[index] ?? 0,
    location_id: LOCATIONS[index % LOCATIONS.length] ?? null,
  }));
}

/** Every nth id exceeds 32 bits. */
const bigId = (id: number, every: number): number => (id % every === 0 ? 4_294_967_296 + id : id);

function randomView(dice: Dice, { versionIds, tables }: VisitContext) {
  const percent = [0, 50, 100];
  return {
    device_id: dice.maybe([1, 2, 3]),
    is_newuser: dice.pick(FLAG),
    deep_read: dice.pick(FLAG),
    is_submit: dice.pick(FLAG),
    source_id: dice.maybe(tables.source)?.source_id ?? null,
    medium_id: dice.maybe(tables.medium)?.medium_id ?? null,
    campaign_id: dice.maybe(tables.campaign)?.campaign_id ?? null,
    content_id: dice.maybe(tables.content)?.content_id ?? null,
    os_id: dice.maybe(tables.os)?.os_id ?? null,
    browser_id: dice.maybe(tables.browser)?.browser_id ?? null,
    language_id: dice.maybe(tables.language)?.language_id ?? null,
    country_id: dice.maybe(tables.country)?.country_id ?? null,
    version_id: dice.maybe(versionIds),
    browse_sec: dice.maybe([0, 1, 7, 3600]),
    speed_msec: dice.maybe([0, 120, 999]),
    depth_position: dice.maybe(percent),
    stop_max_pos: dice.maybe(percent),
    exit_pos: dice.maybe(percent),
    stop_max_sec: dice.maybe([0, 3, 60]),
    window_inner_width: dice.maybe([390, 1920]),
    window_inner_height: dice.maybe([844]),
    irritation_click_count: dice.below(3),
    dead_click_image_count: dice.below(2),
    scroll_back_count: dice.below(3),
    content_skip_count: dice.below(2),
    exploration_count: dice.below(2),
  };
}

/** Clicks on some page views, often in the same second. */
export function randomClicks(
  dice: Dice,
  views: readonly PageView[],
  selectorIds: readonly number[],
  count: number,
): readonly Click[] {
  const ids = dice.shuffled(Array.from({ length: count }, (_, index) => bigId(index + 1, 4)));
  return ids.map((click_id) => {
    const { site_id, pv_id, session_id, page_id, at } = dice.pick(views);
    const event_sec = dice.pick([0, 0, 1, 5, 3600]);
    return {
      site_id,
      click_id,
      pv_id,
      session_id,
      page_id,
      event_sec,
      view_at: at,
      at: at + event_sec,
      selector_id: dice.pick(selectorIds),
      action_id: 1 + dice.below(4),
      is_external: dice.pick(FLAG),
      page_x_pct: dice.maybe([0, 0.1, 33.3, 100, 12.345678901234567]),
      page_y_pct: dice.maybe([0, 0.2, 66.6]),
      element_text: dice.maybe(TEXTS),
      element_id: dice.maybe(['', 'id']),
      element_class: dice.maybe(TEXTS),
      element_data: dice.maybe(['{"a": 1}', '']),
      to_url: dice.maybe(['/a', 'https://example.com/?q=%25']),
    };
  });
}

/** Data layer pushes during some page views. */
export function randomEvents(
  dice: Dice,
  views: readonly PageView[],
  names: readonly Omit<EventName, 'observed'>[],
  count: number,
): readonly LayerEvent[] {
  const ids = dice.shuffled(Array.from({ length: count }, (_, index) => bigId(index + 1, 4)));
  return ids.map((event_id) => {
    const { site_id, pv_id, session_id, page_id, at } = dice.pick(views);
    const { event_name_id, event_name } = dice.pick(names);
    return {
      site_id,
      event_id,
      event_name_id,
      pv_id,
      session_id,
      page_id,
      view_at: at,
      at: at + dice.pick([0, 0, 1, 3600, -60]),
      params: randomParameters(dice, event_name, site_id),
    };
  });
}

/** `amount` is always a number, except on the second site. `mixed` can have any type. */
function randomParameters(dice: Dice, name: string, site: number): Readonly<Record<string, Json>> {
  const amounts: readonly Json[] = site === 2 && name === 'purchase' ? MIXED : AMOUNTS;
  const all: Readonly<Record<string, Json>> = {
    amount: dice.pick(amounts),
    count: dice.below(4),
    mixed: dice.pick(MIXED),
    note: dice.pick([...TEXTS, null]),
    Amount_2: dice.pick(AMOUNTS),
    'not a column': dice.pick(MIXED),
    page_id: 'not a column',
  };
  return Object.fromEntries(Object.entries(all).filter(() => !dice.chance(3)));
}
