// What a site must contain after a history of imports, undos and removals: the rules in their simplest form, without sessions or
// a database. Rows are JSON, as in files. A later row with the same key replaces the values that it contains.
import { modelSessions } from './session-model';

export type FileRow = Readonly<Record<string, unknown>>;

export interface ImportedFile {
  readonly kind: 'import';
  readonly material: string;
  readonly rows: readonly FileRow[];
  /** When visitors were first seen, according to the file. Omits visitors who have had no views since. */
  readonly firsts?: ReadonlyMap<string, number>;
}
export const FIRST_AT = 'fact.first_at';
export type RemovedPart =
  | {
      readonly kind: 'days';
      readonly from: string;
      readonly to: string;
      readonly material?: string | undefined;
    }
  | { readonly kind: 'visitor'; readonly visitors: ReadonlySet<string>; readonly names: ReadonlySet<string> };
/** `isPast`: the removal excludes clicks and events whose view later moves to a removed day. */
export type Step = ImportedFile | (RemovedPart & { readonly isPast: boolean });

/** Material -> key -> row. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, FileRow>>;

const OWNER = ['pv_id', 'session_id', 'reader_id'];
const KEYS: Readonly<Record<string, readonly string[]>> = {
  allpv: ['pv_id'],
  click_event: [...OWNER, 'access_time', 'event_sec', 'selector'],
  datalayer_event: [...OWNER, 'access_time', 'event_name', 'params'],
  gsc: ['date', 'url', 'keyword', 'search_type'],
  page_version: ['version_id'],
  ga4_country: ['date', 'country_code'],
  ga4_age_gender: ['date', 'age', 'gender'],
  ga4_region: ['date', 'region'],
};
export const MATERIALS = Object.keys(KEYS);

export function keyOf(material: string, row: FileRow): string {
  if (material === 'allpv' && row.pv_id === undefined)
    return JSON.stringify([row.access_time, row.url, visitorOf(row) ?? `visit ${row.session_id}`]);
  return JSON.stringify((KEYS[material] ?? []).map((field) => row[field] ?? null));
}

const VISITOR_GAP = 1800;
const timeOf = (row: FileRow): number => Number(row.access_time);
export const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** The rows after these steps, without clicks and events that wait for their page view. */
export function replay(steps: readonly Step[]): Rows {
  const rows = replayAll(steps);
  return without(rows, (material, row) => isAttached(material) && viewOf(rows, row) === undefined);
}

/** Like `replay`, including waiting rows. */
export function replayAll(steps: readonly Step[]): Rows {
  const rows = new Map(MATERIALS.map((material) => [material, new Map<string, FileRow>()]));
  for (const step of steps) {
    if (step.kind === 'import') merge(rows.get(step.material) ?? new Map(), step);
    else removePart(rows, step);
  }
  return rows;
}

const isAttached = (material: string): boolean =>
  material === 'click_event' || material === 'datalayer_event';

function merge(stored: Map<string, FileRow>, { material, rows }: ImportedFile): void {
  for (const row of rows) {
    const key = keyOf(material, row);
    const { [FIRST_AT]: _, ...values } = row;
    stored.set(key, { ...stored.get(key), ...values });
  }
}

/**
 * The page view of a click or event: the given one, or the latest one in the visit, or the visitor's latest one in the half hour
 * before it.
 */
function viewOf(rows: Rows, row: FileRow): FileRow | undefined {
  const views = [...(rows.get('allpv')?.values() ?? [])];
  if (row.pv_id !== undefined) return views.find(({ pv_id }) => pv_id === row.pv_id);
  const since = timeOf(row) - VISITOR_GAP;
  const isCandidate = (view: FileRow): boolean =>
    row.session_id === undefined
      ? view.reader_id === row.reader_id && timeOf(view) >= since
      : view.session_id === row.session_id;
  return views
    .filter((view) => isCandidate(view) && timeOf(view) <= timeOf(row))
    .sort((a, b) => timeOf(b) - timeOf(a))[0];
}

/** The visitor of a page view: a reader_id, or else an original_id. */
function visitorOf({ reader_id: reader, original_id: name }: FileRow): string | undefined {
  if (reader !== undefined) return `reader ${reader}`;
  return name === undefined ? undefined : `name ${name}`;
}

const namedVisitor = (row: FileRow): string | undefined =>
  visitorOf(row) ?? (row.session_id === undefined ? undefined : `visit ${row.session_id}`);

/** The file with the first times of its visitors. The visitor of a row is that of its view after these steps and this file. */
export function withFirsts(steps: readonly Step[], file: ImportedFile): ImportedFile {
  const views = replayAll([...steps, file]).get(file.material);
  const firsts = new Map<string, number>();
  for (const row of file.rows) {
    const visitor = namedVisitor(views?.get(keyOf(file.material, row)) ?? {});
    const at = row[FIRST_AT];
    if (visitor !== undefined && typeof at === 'number')
      firsts.set(visitor, Math.min(at, firsts.get(visitor) ?? at));
  }
  return { ...file, firsts };
}

/**
 * The step without the first times of erased visitors, and of those who have no views and would have none after an undo.
 * `undoable`: the index of the first step that can be undone.
 */
export function withoutAbsent(
  step: Step,
  steps: readonly Step[],
  erased: ReadonlySet<string>,
  undoable: number,
): Step {
  if (step.kind !== 'import') return step;
  const stored = replayAll(steps).get('allpv');
  const visitors = new Set(
    [...steps.keys(), steps.length]
      .filter((count) => count >= undoable)
      .flatMap((count) => {
        // An undo does not restore a view that a removal since then would have removed.
        const removals = steps.slice(count).filter(({ kind }) => kind !== 'import');
        const then = replayAll([...steps.slice(0, count), ...removals]).get('allpv') ?? [];
        return [...then].flatMap(([key, view]) => (stored?.has(key) ? [namedVisitor(view)] : []));
      }),
  );
  const isKept = (visitor: string): boolean => visitors.has(visitor) && !erased.has(visitor);
  return { ...step, firsts: new Map([...(step.firsts ?? [])].filter(([visitor]) => isKept(visitor))) };
}

/** The rows after these steps, as a file would contain them: one view of each visitor contains the earliest first time. */
export function finalRows(steps: readonly Step[]): Rows {
  const firsts = new Map<string | undefined, number>();
  for (const step of steps)
    for (const [visitor, at] of step.kind === 'import' ? (step.firsts ?? []) : [])
      firsts.set(visitor, Math.min(at, firsts.get(visitor) ?? at));
  return new Map(
    [...replay(steps)].map(([material, byKey]) => {
      if (material !== 'allpv') return [material, byKey];
      const last = new Map([...byKey].map(([key, row]) => [namedVisitor(row), key]));
      const withFirst = (key: string, row: FileRow): FileRow => {
        const visitor = namedVisitor(row);
        const first = last.get(visitor) === key ? firsts.get(visitor) : undefined;
        return first === undefined ? row : { ...row, [FIRST_AT]: first };
      };
      return [material, new Map([...byKey].map(([key, row]) => [key, withFirst(key, row)]))];
    }),
  );
}

/** All visitors with this name, and all of their names. If there are none, the visitors who had the name before a correction. */
export function visitorsNamed(
  name: string,
  steps: readonly Step[],
): RemovedPart & { readonly kind: 'visitor' } {
  const views = viewsAfter(steps);
  // A name from before a correction also matches, unless its view was removed after the correction.
  const earlier = steps.flatMap((_step, index) => {
    const removals = steps.slice(index + 1).filter(({ kind }) => kind !== 'import');
    const then = viewsAfter([...steps.slice(0, index + 1), ...removals]);
    return [...then].flatMap(([key, view]) => (views.has(key) ? [view] : []));
  });
  const ownersOf = (names: ReadonlySet<unknown>, among: Iterable<FileRow>): readonly string[] =>
    [...among].flatMap((view) => (names.has(view.original_id) ? (visitorOf(view) ?? []) : []));
  const names = new Set([name]);
  const current = ownersOf(names, views.values());
  const visitors = new Set(current.length > 0 ? current : ownersOf(names, earlier));
  for (let known = -1; known < visitors.size; ) {
    known = visitors.size;
    for (const view of views.values())
      if (visitors.has(visitorOf(view) ?? '') && view.original_id !== undefined)
        names.add(String(view.original_id));
    for (const owner of ownersOf(names, views.values())) visitors.add(owner);
  }
  return { kind: 'visitor', visitors, names };
}

const viewsAfter = (steps: readonly Step[]): ReadonlyMap<string, FileRow> =>
  replay(steps).get('allpv') ?? new Map();

function removePart(
  rows: Map<string, Map<string, FileRow>>,
  part: RemovedPart & { readonly isPast: boolean },
): void {
  const matches = (material: string, row: FileRow): boolean => {
    if (part.kind === 'visitor') {
      if (material === 'allpv')
        return part.visitors.has(visitorOf(row) ?? '') || part.names.has(String(row.original_id));
      return isAttached(material) && viewOf(rows, row) === undefined && isOfVisitor(rows, part.visitors, row);
    }
    const waitsForView = part.material === 'allpv' && isAttached(material) && viewOf(rows, row) === undefined;
    if (part.material !== undefined && part.material !== material && !waitsForView) return false;
    if (part.isPast && isAttached(material)) return false;
    const day = rowDay(rows, material, row);
    return day !== undefined && day >= part.from && day <= part.to;
  };
  const gone = without(rows, (material, row) => {
    if (matches(material, row)) return true;
    const view = isAttached(material) ? viewOf(rows, row) : undefined;
    return view !== undefined && matches('allpv', view);
  });
  for (const [material, kept] of gone) rows.set(material, new Map(kept));
}

/** Whether a row waits for a view by one of these visitors, or in one of their visits. */
function isOfVisitor(rows: Rows, visitors: ReadonlySet<string>, { reader_id, session_id }: FileRow): boolean {
  if (session_id === undefined) return visitors.has(`reader ${reader_id}`);
  const views = [...(rows.get('allpv')?.values() ?? [])];
  return views.some((view) => view.session_id === session_id && visitors.has(visitorOf(view) ?? ''));
}

/** The day of a row. Undefined if it waits for its page view. */
function rowDay(rows: Rows, material: string, row: FileRow): string | undefined {
  if (material === 'gsc' || material.startsWith('ga4_')) return String(row.date);
  if (material === 'page_version') return String(row.update_date);
  if (material === 'allpv' || row.access_time !== undefined) return dayOf(timeOf(row));
  const view = viewOf(rows, row);
  return view && dayOf(timeOf(view) + Number(row.event_sec));
}

function without(rows: Rows, isGone: (material: string, row: FileRow) => boolean): Rows {
  return new Map(
    [...rows].map(([material, byKey]) => [
      material,
      new Map([...byKey].filter(([, row]) => !isGone(material, row))),
    ]),
  );
}

/** The keys of visits that ended before an instant, of their clicks and events, and of waiting rows from before it. */
export function keysOfVisitsBefore(rows: Rows, instant: number): ReadonlySet<string> {
  const views = [...(rows.get('allpv') ?? [])];
  const sessions = modelSessions(
    views.map(([key, { session_id: session, reader_id: reader, original_id: name, ...row }]) => ({
      url: key,
      access_time: timeOf(row),
      ...(session !== undefined && { session_id: Number(session) }),
      ...(reader !== undefined && { reader_id: Number(reader) }),
      ...(name !== undefined && { original_id: String(name) }),
    })),
  );
  const sessionOf = new Map(sessions.map(({ url, session }) => [url, session]));
  const ongoing = new Set(views.flatMap(([key, row]) => (timeOf(row) < instant ? [] : [sessionOf.get(key)])));
  const isOld = (view: FileRow | undefined): boolean =>
    view !== undefined && !ongoing.has(sessionOf.get(keyOf('allpv', view)));
  return goneKeys(
    rows,
    without(rows, (material, row) => {
      if (!isAttached(material)) return material === 'allpv' && isOld(row);
      const view = viewOf(rows, row);
      return view === undefined ? row.access_time !== undefined && timeOf(row) < instant : isOld(view);
    }),
  );
}

/** Whether two versions of a page would temporarily have the same number if the rows of the file were written one by one. */
export function reusesVersionNumber(rows: Rows, file: ImportedFile): boolean {
  if (file.material !== 'page_version') return false;
  const numberOf = (row: FileRow): string => JSON.stringify([row.url, row.device_type, row.version_no]);
  const numbers = new Map([...(rows.get('page_version') ?? [])].map(([key, row]) => [key, numberOf(row)]));
  return file.rows.some((row) => {
    const key = keyOf(file.material, row);
    const isTaken = [...numbers].some(([other, number]) => other !== key && number === numberOf(row));
    numbers.set(key, numberOf(row));
    return isTaken;
  });
}

/** The keys that are in `before` but not in `after`, as `material key`. */
export function goneKeys(before: Rows, after: Rows): ReadonlySet<string> {
  const keys = [...before].flatMap(([material, byKey]) =>
    [...byKey.keys()].filter((key) => !after.get(material)?.has(key)).map((key) => `${material} ${key}`),
  );
  return new Set(keys);
}

/** The step without the rows with these keys. Removed rows stay removed, no matter what is undone later. */
export const withoutKeys = (step: Step, keys: ReadonlySet<string>): Step =>
  step.kind === 'import'
    ? { ...step, rows: step.rows.filter((row) => !keys.has(`${step.material} ${keyOf(step.material, row)}`)) }
    : step;
