// Decides whether a result is still correct after later changes to its sites. It is correct if it depends only on rows of certain
// days and on dimensions, and none of these have changed. If that cannot be proven, it is treated as incorrect after any change.
import type { Manifest } from '../../../manifests/reader/manifest';
import type { SitesReader } from '../../data/storage/sites/site-states';
import type {
  ResolvedQuery,
  ResolvedSource,
  ResolvedView,
  SiteState,
  StoredOrigin,
} from '../../language/types/resolved-query';
import { CONVERSION_VIEW } from '../columns/copied-tables';

/** UTC days since 1970. */
interface Days {
  readonly low: number;
  readonly high: number;
}

interface Dependencies {
  /** The days whose rows are read, by table. */
  readonly days: ReadonlyMap<string, readonly Days[]>;
  /** Tables whose rows are looked up by id. */
  readonly dimensions: ReadonlySet<string>;
}

/** Whether a value depends only on the stored row and on the dimension rows that the row refers to. */
const OF_ROW: Readonly<Record<StoredOrigin['kind'], boolean>> = {
  computed: true,
  field: true,
  lookup: true,
  'time-part': true,
  'joined-texts': true,
  channel: true,
  converted: false,
  'has-rows': false,
  'session-of-day': false,
};

const DAY = 86_400;
/** Local days overlap the UTC days before and after them. */
const daysOf = ({ start, end }: ResolvedView['range']): Days => ({
  low: Math.floor(start / DAY) - 1,
  high: Math.floor(end / DAY) + 1,
});

/** Undefined if the result may depend on anything else. */
function dependenciesOf(
  { views }: Pick<ResolvedQuery, 'views'>,
  { materials, dimensions }: Pick<Manifest, 'materials' | 'dimensions'>,
): Dependencies | undefined {
  const days = new Map<string, Days[]>();
  const tables = new Set<string>();

  const addSource = (source: ResolvedSource, range: ResolvedView['range'], isJoined: boolean): boolean => {
    if (source.kind === 'view') return true;
    const { table, time } = materials.get(source.rows) ?? {};
    const isByDay = time !== undefined && source.time?.field === time.field && table !== CONVERSION_VIEW;
    if (table === undefined || !isByDay || (isJoined && source.joinedAlways)) return false;
    days.set(table, [...(days.get(table) ?? []), daysOf(range)]);
    return true;
  };

  /** Adds the origins of all values, wherever they are in the query. Returns false if one is not `OF_ROW`. */
  const addOrigins = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.every(addOrigins);
    if (typeof value !== 'object' || value === null) return true;
    if ('kind' in value && typeof value.kind === 'string') {
      if (isOrigin(value.kind) && !OF_ROW[value.kind]) return false;
      if (value.kind === 'lookup') {
        const { table } = dimensions.get('dimension' in value ? String(value.dimension) : '') ?? {};
        if (table === undefined) return false;
        tables.add(table);
      }
    }
    return Object.values(value).every(addOrigins);
  };

  for (const view of views) {
    const { source, join, range } = view;
    if (!addSource(source, range, false) || !(join === null || addSource(join.source, range, true)))
      return undefined;
    if (!addOrigins(view)) return undefined;
  }
  return { days, dimensions: tables };
}

const isOrigin = (kind: string): kind is StoredOrigin['kind'] => Object.hasOwn(OF_ROW, kind);

/** Whether a result for the states `before` is also correct for `states`, which are later. */
export async function isUnaffected(
  query: ResolvedQuery,
  before: readonly SiteState[],
  states: readonly SiteState[],
  { database, manifest }: Pick<SitesReader, 'database'> & { readonly manifest: Manifest },
): Promise<boolean> {
  const known = new Map(before.map((state) => [state.siteId, state.version]));
  const changed = states.filter((state) => known.get(state.siteId) !== state.version);
  if (states.length !== before.length || changed.length > MAX_SITES) return false;
  if (changed.length === 0) return true;
  const dependencies = dependenciesOf(query, manifest);
  if (dependencies === undefined) return false;
  for (const state of changed) {
    const from = known.get(state.siteId);
    if (from === undefined) return false;
    const rows = await database.query<ChangeRow>({
      name: 'changes-since',
      text: CHANGES_SINCE,
      values: [state.siteId, from, MAX_CHANGES],
    });
    if (!leavesUnaffected(rows, from, state.version, dependencies)) return false;
  }
  return true;
}

/** Beyond these limits, running the query again is no slower. */
const MAX_SITES = 4;
const MAX_CHANGES = 2_000;

interface ChangeRow {
  readonly table: string;
  readonly low: number;
  readonly high: number;
  readonly token: string | null;
  readonly before: string | null;
}

// The last row of each version is for the version itself.
const CHANGES_SINCE = `
  SELECT table_name AS "table", low::float8 AS low, high::float8 AS high, token,
         token_before AS before
    FROM analytics.change
   WHERE site_id = $1 AND data_version >= (
         SELECT data_version FROM analytics.change
          WHERE site_id = $1 AND table_name = 'site_version' AND token_before = $2::uuid)
   ORDER BY data_version, token NULLS FIRST LIMIT $3`;

/** Checks the changes in each version after `from`, up to `to`. A version without recorded changes may have changed anything. */
function leavesUnaffected(
  rows: readonly ChangeRow[],
  from: string,
  to: string,
  { days, dimensions }: Dependencies,
): boolean {
  let at = from;
  let recorded = 0;
  for (const { table, low, high, token, before } of rows) {
    if (token !== null) {
      if (before !== at || recorded === 0) return false;
      if (token === to) return true;
      at = token;
      recorded = 0;
      continue;
    }
    recorded += 1;
    if (dimensions.has(table)) return false;
    if (days.get(table)?.some((one) => low <= one.high && high >= one.low) === true) return false;
  }
  return false;
}
