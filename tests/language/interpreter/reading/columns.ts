// The columns of every material: their types, whether they are join keys, and whether the material supports `all`.
import type { Goal, Tables } from './tables';

export type ColumnType = 'id' | 'int' | 'num' | 'flag' | 'text' | 'datetime' | 'date';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Whether a join may use it as a key. */
  readonly isKey: boolean;
  /** The kind of thing that an id or `tracking_id` identifies. Null for other columns. */
  readonly identifies: string | null;
}

/** The columns of a material or view. `physical` is the material at the end of its chain. */
export interface Shape {
  readonly physical: string;
  readonly columns: readonly Column[];
}

interface Material {
  readonly keys: string;
  readonly all: boolean;
  readonly columns: Partial<Readonly<Record<ColumnType, string>>>;
}

const TIME_PARTS = {
  date: 'access_date access_week',
  text: 'access_month',
  int: 'access_hour access_weekday',
};
const URL_PARTS = 'url_host url_path url_folder url_query';
const EVENT_KEYS = 'pv_id session_id page_id';
const SUMMED_TEXTS = 'device_type utm_source utm_medium utm_campaign source_domain tracking_id';

const ALLPV: Material['columns'] = {
  id: `pv_id session_id reader_id page_id source_id medium_id campaign_id content_id version_id
    prev_page_id next_page_id`,
  datetime: 'access_time',
  int: `device_id pv speed_msec browse_sec depth_position stop_max_pos exit_pos stop_max_sec page_type
    page_fetch_status dead_click_image_count irritation_click_count scroll_back_count content_skip_count
    exploration_count window_inner_width window_inner_height ${TIME_PARTS.int}`,
  flag: `is_last is_newuser deep_read is_submit is_article is_product is_list is_form is_trust_info is_faq
    is_landing is_search is_account is_cart is_checkout is_confirm is_thanks is_top_page is_event is_recipe
    is_job is_video is_howto is_qa_forum is_goal_1 is_goal_2 is_goal_3 is_goal_4 is_goal_5 is_goal_6 is_goal_7
    is_goal_8 is_goal_9 is_goal_10`,
  text: `${URL_PARTS} referrer_host url title prev_url prev_title next_url next_title source_domain referrer utm_source utm_term
    click_id_name channel utm_medium utm_campaign utm_content device_type os browser language country_code region city ua original_id
    tracking_id ${TIME_PARTS.text}`,
  date: TIME_PARTS.date,
};

const MATERIALS: Readonly<Record<string, Material>> = {
  allpv: { keys: 'pv_id session_id page_id version_id reader_id', all: true, columns: ALLPV },
  click_event: {
    keys: EVENT_KEYS,
    all: true,
    columns: {
      ...TIME_PARTS,
      id: EVENT_KEYS,
      datetime: 'access_time',
      int: `event_sec action_id ${TIME_PARTS.int}`,
      flag: 'is_external',
      num: 'page_x_pct page_y_pct',
      text: `selector element_text element_id element_class element_data to_url tracking_id ${TIME_PARTS.text}`,
    },
  },
  datalayer_event: {
    keys: EVENT_KEYS,
    all: true,
    columns: {
      ...TIME_PARTS,
      id: EVENT_KEYS,
      datetime: 'access_time',
      text: `event_name params_json tracking_id ${TIME_PARTS.text}`,
    },
  },
  gsc: {
    keys: 'page_id',
    all: false,
    columns: {
      id: 'page_id query_id',
      int: 'search_type page_type page_fetch_status clicks impressions position_x100',
      num: 'ctr position position_weighted',
      text: `${URL_PARTS} url title keyword month tracking_id`,
      date: 'date week',
    },
  },
  page_version: {
    keys: 'version_id page_id',
    all: false,
    columns: {
      id: 'version_id page_id',
      int: 'device_id version_no',
      date: 'update_date',
      text: 'url title device_type tracking_id',
    },
  },
  ga4_age_gender: {
    keys: '',
    all: false,
    columns: {
      int: 'age gender sessions active_users',
      text: 'age_label gender_label month tracking_id',
      date: 'date',
    },
  },
  ga4_country: {
    keys: '',
    all: false,
    columns: { int: 'country sessions active_users', text: 'country_code month tracking_id', date: 'date' },
  },
  ga4_region: {
    keys: '',
    all: false,
    columns: { int: 'region sessions active_users', text: 'region_name month tracking_id', date: 'date' },
  },
  summary_landingpage: {
    keys: '',
    all: true,
    columns: {
      id: 'page_id',
      int: 'device_id second_page pv_count session_count user_count bounce_count session_time',
      flag: 'is_newuser',
      text: `url title ${SUMMED_TEXTS}`,
    },
  },
  summary_allpage: {
    keys: '',
    all: true,
    columns: {
      id: 'page_id',
      int: 'device_id pv_count user_count bounce_count exit_count time_on_page lp_count',
      flag: 'is_newuser',
      text: `url title ${SUMMED_TEXTS}`,
    },
  },
  summary_days_access_detail: {
    keys: '',
    all: true,
    columns: {
      int: 'device_id pv_count session_count user_count bounce_count time_on_page is_newuser_count',
      flag: 'is_newuser',
      text: SUMMED_TEXTS,
    },
  },
};

const GOAL: Material = {
  keys: EVENT_KEYS,
  all: false,
  columns: {
    ...ALLPV,
    int: `${ALLPV.int} session_index pv_index session_no version_no`,
    flag: `${ALLPV.flag} is_reject is_raw_p is_raw_c is_raw_e`,
    text: `${ALLPV.text} UAos UAbrowser`,
  },
};

const EVENT: Material = {
  keys: EVENT_KEYS,
  all: true,
  columns: {
    ...TIME_PARTS,
    id: EVENT_KEYS,
    datetime: 'access_time',
    text: `tracking_id ${TIME_PARTS.text}`,
  },
};

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

const TYPES: readonly ColumnType[] = ['id', 'int', 'num', 'flag', 'text', 'datetime', 'date'];

const PAGES = ['page_id', 'prev_page_id', 'next_page_id'];

function identified(name: string, type: ColumnType): string | null {
  if (name === 'tracking_id') return 'site';
  if (type !== 'id') return null;
  return PAGES.includes(name) ? 'page' : name;
}

const columnLists = new Map<Material, readonly Column[]>();

function columnsOf(material: Material): readonly Column[] {
  const known = columnLists.get(material);
  if (known !== undefined) return known;
  const keys = words(material.keys);
  const columns = TYPES.flatMap((type) =>
    words(material.columns[type] ?? '').map((name) => ({
      name,
      type,
      isKey: keys.includes(name),
      identifies: identified(name, type),
    })),
  );
  columnLists.set(material, columns);
  return columns;
}

const VIEW_COLUMNS = new Set(Object.values(ALLPV).flatMap(words));

export const isViewColumn = (name: string): boolean => VIEW_COLUMNS.has(name);

/** The material with all of its columns, for these sites. */
export function shapeOf(name: string, tables: Tables, sites: readonly number[]): Shape {
  if (name.startsWith('events.')) {
    const parameters = parametersOf(name.slice('events.'.length), tables, sites);
    return { physical: name, columns: [...columnsOf(EVENT), ...parameters] };
  }
  const material = name.startsWith('goal_') ? GOAL : MATERIALS[name];
  if (material === undefined) throw new Error(`The interpreter has no material ${name}.`);
  const goals = definedGoals(tables, sites);
  const isDefined = ({ name: column }: Column): boolean =>
    !column.startsWith('is_goal_') || goals.has(Number(column.slice('is_goal_'.length)));
  return { physical: name, columns: columnsOf(material).filter(isDefined) };
}

/** The ids of goals that are defined identically on every site that has them. */
function definedGoals({ goal }: Tables, sites: readonly number[]): ReadonlySet<number> {
  const ofSites = goal.filter(({ site_id }) => sites.includes(site_id));
  const isSame = ({ goal_no, name, type }: Goal): boolean =>
    ofSites.every((it) => it.goal_no !== goal_no || (it.name === name && it.type === type));
  return new Set(ofSites.filter(isSame).map(({ goal_no }) => goal_no));
}

/** A parameter is a number if it is a number on every site that has it. */
function parametersOf(event: string, { event_name }: Tables, sites: readonly number[]): readonly Column[] {
  const observed = event_name
    .filter((it) => it.event_name === event && sites.includes(it.site_id))
    .flatMap((it) => Object.entries(it.observed));
  return [...new Set(observed.map(([name]) => name))].map((name) => ({
    name,
    type: observed.some(([other, type]) => other === name && type === 'string') ? 'text' : 'num',
    isKey: false,
    identifies: null,
  }));
}

/** The materials that can be queried for these sites. */
export function materialsOf(tables: Tables, sites: readonly number[], all: boolean): readonly string[] {
  const named = Object.keys(MATERIALS).filter((name) => !all || MATERIALS[name]?.all);
  const events = tables.event_name
    .filter((it) => sites.includes(it.site_id) && /^[A-Za-z0-9_]+$/.test(it.event_name))
    .map((it) => `events.${it.event_name}`);
  const goals = tables.goal
    .filter((it) => !all && sites.includes(it.site_id))
    .map((it) => `goal_${it.goal_no}`);
  return [...named, ...new Set(events), ...goals];
}
