// Parses the text of a query for the interpreter without any of the program's code. It accepts only canonical forms and
// references with a prefix, and does not repair anything.
import { z } from 'zod';
import { readCalc } from './read-calc';
import type { Filter, Query, Reference, SortKey, Test, View } from './reading/query';
import type { Tables } from './reading/tables';

const value = z.union([z.string(), z.number(), z.null()]);
const key = z.strictObject({ by: z.string(), order: z.enum(['asc', 'desc']) });
const range = z.strictObject({ start: z.string(), end: z.string() });
const conditions = z.record(z.string(), z.unknown());
const viewSchema = z.strictObject({
  from: z.tuple([z.string()]),
  time: range.nullable().default(null),
  filter: conditions.default({}),
  join: z
    .strictObject({
      with: z.string(),
      on: z.array(z.strictObject({ left: z.string(), right: z.string() })),
      'if not match': z.enum(['keep-left', 'drop', 'keep-both']).nullable().default(null),
      nulls: z.literal('match').optional(),
      fill: value.default(null),
    })
    .nullable()
    .default(null),
  keep: z.array(z.string()),
  calc: z
    .record(
      z.string(),
      z.union([
        z.string().transform((of) => ({ of, filter: undefined })),
        z.strictObject({ of: z.string(), filter: conditions }),
      ]),
    )
    .default({}),
  sort: z
    .strictObject({
      ...key.shape,
      // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
      then: z.array(key).default([]),
      top: z.number().nullable().default(null),
      per: z.array(z.string()).default([]),
    })
    .nullable()
    .default(null),
  fill_periods: z.string().nullable().default(null),
});
const querySchema = z.strictObject({
  tracking_id: z.string(),
  materials: z.array(z.strictObject({ name: z.string() })),
  time: range.extend({ tz: z.string() }),
  make: z.record(z.string(), viewSchema),
  result: z.strictObject({
    use: z.string(),
    limit: z.number().nullable().default(null),
    offset: z.number().nullable().default(null),
    count_only: z.boolean().default(false),
  }),
});

const filterSchema = z.record(
  z.string(),
  z.union([
    value.transform((one) => ({ eq: one })),
    z.array(value).transform((some) => ({ in: some })),
    z.record(z.string(), z.union([value, z.array(value), z.strictObject({ column: z.string() })])),
  ]),
);

/** Parses a query from a user who may see every site. */
export function readQuery(text: string, { site }: Pick<Tables, 'site'>): Query {
  const { tracking_id, materials, time, make, result } = querySchema.parse(JSON.parse(text));
  const found = site.find((it) => it.tracking_id === tracking_id);
  if (found === undefined && tracking_id !== 'all') throw new Error(`There is no site ${tracking_id}.`);
  const views = Object.entries(make);
  const physicalOf = (name: string): string => {
    const inner = make[name];
    return inner === undefined ? name : physicalOf(inner.from[0]);
  };
  return {
    time,
    use: result.use,
    limit: result.limit,
    offset: result.offset,
    countOnly: result.count_only,
    permitted: site.map(({ site_id }) => site_id),
    site: found?.site_id ?? 'all',
    materials: materials.map(({ name }) => name),
    views: views.map(([name, view]) => readView(name, view, physicalOf)),
  };
}

function readView(
  name: string,
  view: z.infer<typeof viewSchema>,
  physicalOf: (name: string) => string,
): View {
  const { join, sort, calc, time, fill_periods } = view;
  const [from] = view.from;
  const refer = (written: string): Reference => {
    const column = afterPrefix(written);
    const prefix = written.slice(0, -column.length - 1);
    if ([from, physicalOf(from)].includes(prefix)) return { side: 'from', column, written };
    if (prefix !== join?.with) throw new Error(`${written} belongs neither to ${from} nor to a joined side.`);
    return { side: 'with', column, written };
  };
  const sortKey = ({ by, order }: z.infer<typeof key>): SortKey => ({ by, order, written: by });
  const keep = view.keep.map(refer);
  return {
    name,
    from,
    time,
    keep,
    isKeptAgain: false,
    add: false,
    ...readFilter(view.filter),
    join: join && {
      with: join.with,
      on: join.on.map(({ left, right }) => ({ left: afterPrefix(left), right: afterPrefix(right) })),
      mode: join['if not match'],
      nullsMatch: join.nulls === 'match',
      fill: join.fill,
    },
    calc: Object.entries(calc).map(([title, { of, filter }]) => ({
      name: title,
      ...readCalc(of, refer),
      ...(filter !== undefined && { where: readFilter(filter) }),
    })),
    sort: sort && {
      ...sortKey(sort),
      next: sort.then.map(sortKey),
      top: sort.top,
      per: sort.per.map((by) => ({ by, written: by })),
    },
    fill: keep.find(({ column }) => column === (fill_periods && afterPrefix(fill_periods))) ?? null,
  };
}

const afterPrefix = (written: string): string => written.slice(written.lastIndexOf('.') + 1);

function readFilter({ any, none, ...columns }: z.infer<typeof conditions>): Filter {
  const listOf = (list: unknown) =>
    list === undefined ? null : z.array(conditions).parse(list).map(readFilter);
  const filter = Object.entries(filterSchema.parse(columns)).flatMap(([column, operators]) =>
    Object.entries(operators).map(
      ([operator, operand]): Test =>
        operand !== null && typeof operand === 'object' && 'column' in operand
          ? { column, operator, value: null, other: operand.column }
          : { column, operator, value: operand },
    ),
  );
  return { filter, any: listOf(any), none: listOf(none) };
}
