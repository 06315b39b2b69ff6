// Rules that recognize the syntax of other languages and tools, keyed by position in the query. The rules for unknown keys are
// in foreign-key.ts.
import { hintOf } from '../errors/hint-failure';
import { usableName } from '../names/foreign-columns';
import { joinMode } from '../names/foreign-keys';
import { relativeRange } from '../names/relative-days';
import { afterLocalDateTime, isLocalDateTime, localDateOf, repairedLocalDateTime } from '../time/local-time';
import { isOnlyZone, repairedZone } from '../time/zones';
import { filterPlace } from '../types/filter-lists';
import { isJsonList, isJsonObject, type JsonObject, scalarText, valueAt } from '../types/json';
import type { Path } from '../types/path';
import { certainly, probably, rename, write } from '../types/repair';
import { OUTPUT_NAME } from './calc-schema';
import { calcFilterRule, calcRule, keepRule } from './foreign-calc';
import { entryRule, logicRule, operatorRule } from './foreign-condition';
import { certainValue, type Meant, type Rule, type WrongPlace } from './foreign-form';
import { unknownKey } from './foreign-key';
import { countRule, orderRule, sortRule } from './foreign-sort';
import { looseSource, textIn } from './loose-source';
import { joinModes, KEEP_BOTH } from './query-schema';

/** Longer lists are not examined. */
const MAX_MATERIALS = 1_000;

/** Repairs all entries together. */
const materials: Rule = ({ query }) => {
  const entries = isJsonList(query.materials) ? query.materials : [query.materials ?? null];
  if (entries.length > MAX_MATERIALS) return undefined;
  const meant = entries.map((entry) => (typeof entry === 'string' ? { name: entry } : entry));
  const isWhole = meant.every((entry) => isJsonObject(entry) && typeof entry.name === 'string');
  return isWhole && meant.length > 0 ? certainValue(['materials'], meant) : undefined;
};

/** A start date means its first second. An end date may mean the whole day, unless it is the first of a month. */
const dateTime: Rule = (place) => {
  const { path, value } = place;
  if (typeof value !== 'string') return undefined;
  const from = repairedLocalDateTime(value);
  if (from === undefined) return withOffset(value) ?? relativeTime(place);
  const after = afterLocalDateTime(value);
  if (path.at(-1) === 'end' && after !== undefined && !from.endsWith('-01T00:00:00'))
    return isLocalDateTime(after) ? { given: { hint: 'end', span: value.trim(), from, after } } : undefined;
  // The repair drops fractions of a second.
  const isSame = after === undefined || !value.includes('.');
  return { repair: isSame ? certainly(write(path, from)) : probably(write(path, from)) };
};

/** A time with an offset keeps its meaning only in a zone with that offset. */
function withOffset(received: string): Meant | undefined {
  const [, written = '', offset = ''] = /^(.{19,24})(Z|[+-]\d\d:?\d\d)$/.exec(received.trim()) ?? [];
  const local = repairedLocalDateTime(written);
  return local === undefined
    ? undefined
    : { given: { hint: offset === 'Z' ? 'utc' : 'offset', local, offset } };
}

/** Converts a range with a relative start or end to dates in the query's zone. */
function relativeTime({ path, query, zones, receivedAt }: WrongPlace): Meant | undefined {
  const written = valueAt(query, ['time', 'tz']);
  const tz = typeof written !== 'string' || zones.has(written) ? written : repairedZone(written, zones);
  if (receivedAt === undefined || typeof tz !== 'string') return undefined;
  const place = path.slice(0, -1);
  const [from, to] = ['start', 'end'].map((key) => valueAt(query, [...place, key]));
  const today = localDateOf(receivedAt, tz);
  const range = relativeRange(from, to, today);
  if (range === undefined) return undefined;
  const { start, end } = range;
  const hint = end.slice(0, 10) > today ? 'relative with today' : 'relative';
  const edits = [write([...place, 'start'], start), write([...place, 'end'], end)];
  return { given: { hint, start, end }, repair: probably(...edits) };
}

const zone: Rule = ({ path, value, zones }) => {
  if (typeof value !== 'string') return undefined;
  const meant = repairedZone(value, zones);
  if (meant === undefined) return undefined;
  const edit = write(path, meant);
  return { repair: isOnlyZone(value, meant, zones) ? certainly(edit) : probably(edit) };
};

const viewName: Rule = ({ path, contract }) => {
  const name = scalarText(path[1]);
  if (new RegExp(contract.rules.request.view_name).test(name)) return undefined;
  return { repair: probably(rename(path, usableName(name, 'view'))) };
};

const from: Rule = ({ path, value }) => {
  const name = textIn(value);
  if (name !== undefined) return certainValue(path, [name]);
  return isJsonList(value) && value.length > 1 ? { given: { hint: 'several' } } : undefined;
};

const listOfText: Rule = ({ path, value }) =>
  typeof value === 'string' ? certainValue(path, [value]) : undefined;

const onlyJoin: Rule = ({ path, value }) => {
  const [only, ...others] = isJsonList(value) ? value : [];
  return isJsonObject(only) && others.length === 0 ? certainValue(path, only) : undefined;
};

/** Recognizes a single pair, or the name of a column on both sides. */
const pairs: Rule = ({ path, value, query }) => {
  if (isJsonObject(value)) return certainValue(path, [value]);
  const { material, joined } = looseSource(query, path);
  const isColumn = typeof value === 'string' && OUTPUT_NAME.test(value) && joined;
  return isColumn
    ? certainValue(path, [{ left: `${material}.${value}`, right: `${joined}.${value}` }])
    : undefined;
};

/** Adds the source to a column without one. */
const side: Rule = ({ path, value, query }) => {
  const { material, joined } = looseSource(query, path);
  const prefix = path.at(-1) === 'left' ? material : joined;
  const isColumn = typeof value === 'string' && OUTPUT_NAME.test(value);
  return isColumn && prefix ? certainValue(path, `${prefix}.${value}`) : undefined;
};

const mode: Rule = ({ path, value, contract }) => {
  const meant = typeof value === 'string' ? joinMode(value) : undefined;
  if (meant === undefined || joinModes(contract).includes(meant)) return certainValue(path, meant);
  return meant === value ? { feature: KEEP_BOTH } : undefined;
};

const lastView = ({ make }: JsonObject): string | undefined =>
  isJsonObject(make) ? Object.keys(make).at(-1) : undefined;

const result: Rule = ({ path, value, query }) => {
  if (typeof value === 'string') return certainValue(path, { use: value });
  const last = value === undefined ? lastView(query) : undefined;
  return last === undefined
    ? undefined
    : { given: { hint: undefined }, repair: probably(write(path, { use: last })) };
};

const use: Rule = ({ path, query }) => {
  const last = lastView(query);
  return last === undefined ? undefined : { repair: probably(write(path, last)) };
};

const limit: Rule = ({ path, value, contract }) => {
  const { max_rows } = contract.rules.limits;
  if (typeof value === 'number') return value > max_rows ? { given: { hint: 'max' } } : undefined;
  const count = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : 0;
  return count >= 1 && count <= max_rows ? certainValue(path, count) : undefined;
};

/** The first matching rule applies. `*` is any step, and `#` is an index. */
const RULES = Object.entries({
  materials,
  'materials.*': materials,
  'materials.*.name': materials,
  'time.start': dateTime,
  'time.end': dateTime,
  'time.tz': zone,
  'make.*': viewName,
  'make.*.from': from,
  'make.*.time.start': dateTime,
  'make.*.time.end': dateTime,
  'make.*.keep': listOfText,
  'make.*.keep.*': keepRule,
  'make.*.filter': calcFilterRule,
  'make.*.filter.#': entryRule,
  'make.*.filter.*': logicRule,
  'make.*.filter.*.*': operatorRule,
  'make.*.join': onlyJoin,
  'make.*.join.on': pairs,
  'make.*.join.on.*.left': side,
  'make.*.join.on.*.right': side,
  'make.*.join.if not match': mode,
  'make.*.calc.*': calcRule,
  'make.*.calc.*.of': calcRule,
  'make.*.sort': sortRule,
  'make.*.sort.order': orderRule,
  'make.*.sort.top': countRule,
  'make.*.sort.*': sortRule,
  'make.*.sort.then.*': sortRule,
  'make.*.sort.then.*.order': orderRule,
  'make.*.sort.then.*.*': sortRule,
  'make.*.sort.per.*': sortRule,
  result,
  'result.use': use,
  'result.limit': limit,
} satisfies Readonly<Record<string, Rule>>).map(([pattern, rule]) => ({ steps: pattern.split('.'), rule }));

const isStep = (pattern: string, step: Path[number] | undefined): boolean =>
  pattern === '*' || (pattern === '#' ? typeof step === 'number' : pattern === step);

/** Inside a list of filters, the rules for the whole filter apply; `#` is an entry in the list. */
function ruleAt(path: Path): Rule | undefined {
  const { filter, around } = filterPlace(path);
  const isEntry = around.length > 0 && path.length === filter.length;
  const inside = isEntry ? [0] : path.slice(filter.length);
  const isInFilter = around.length > 0 || filter.length > 3;
  const steps = isInFilter ? [...filter.slice(0, 2), 'filter', ...inside] : path;
  const found = RULES.find(
    (rule) =>
      rule.steps.length === steps.length && rule.steps.every((step, index) => isStep(step, steps[index])),
  );
  return found?.rule;
}

/** Returns the intended meaning of a wrong value or an unknown key. */
export const intendedMeaning = (place: WrongPlace, isUnknownKey: boolean): Meant | undefined => {
  return hintOf(() => {
    const rule = isUnknownKey && !isInSortOrFilter(place.path) ? unknownKey : ruleAt(place.path);
    return rule?.(place);
  }, place);
};

/** Whether a key is in a sort or a filter. Unknown keys there are handled by RULES. */
const isInSortOrFilter = ([section, , clause, key, part, ...inside]: Path): boolean =>
  section === 'make' &&
  key !== undefined &&
  (clause === 'sort' || clause === 'filter' || (part === 'filter' && inside.length > 0));
