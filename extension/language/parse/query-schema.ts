// The shape of a query under a contract, with the error for each position. A clause whose feature is off is an unknown key, even
// in the JSON Schema.
import { z } from 'zod';
import type { Fault } from '../errors/fault';
import { isLocalDateTime } from '../time/local-time';
import { type Contract, isEnabled } from '../types/contract';
import { JOIN_MODES, type JoinMode } from '../types/parsed-query';
import { TRACKING_ID } from '../types/tracking-id';
import { collection, listOf, member } from './bounded-schema';
import { calcSchema } from './calc-schema';
import { filterSchema } from './filter-schema';
import type { ParseContext } from './foreign-form';
import { fault, lengthFault, scalar } from './schema-fault';
import { sortSchema } from './sort-schema';

export const QUALIFIED_NAME = /^([^\s()]+)\.([A-Za-z0-9_]+)$/;

const side = z
  .string(fault('E_INVALID_JOIN reference'))
  .regex(QUALIFIED_NAME, fault('E_INVALID_JOIN reference'));

/** The features that join keys need. */
export const JOIN_FEATURES = { nulls: 'join_nulls' } as const;

/** The feature that the keep-both mode needs. */
export const KEEP_BOTH = 'join_keep_both';

export const joinModes = (contract: Contract): readonly JoinMode[] =>
  JOIN_MODES.filter((mode) => mode !== 'keep-both' || isEnabled(contract, KEEP_BOTH));

const nulls = { nulls: z.literal('match', fault('E_INVALID_JOIN nulls')).optional() };

const joinSchema = (contract: Contract) =>
  z.strictObject(
    {
      with: z.string(fault('E_INVALID_JOIN with-shape')).min(1, lengthFault('E_INVALID_JOIN with-shape')),
      on: listOf(
        z.strictObject({ left: side, right: side }, fault('E_INVALID_JOIN on', { key: 'E_UNKNOWN_FIELD' })),
        fault('E_INVALID_JOIN on'),
        (list) => list.min(1, lengthFault('E_INVALID_JOIN on')),
      ),
      'if not match': z.enum(joinModes(contract), fault('E_INVALID_JOIN mode')).optional(),
      ...(isEnabled(contract, JOIN_FEATURES.nulls) ? nulls : ({} as Partial<typeof nulls>)),
      fill: scalar('E_INVALID_JOIN fill-shape').optional(),
    },
    {
      error: ({ code, input }): Fault => {
        if (code === 'unrecognized_keys') return 'E_UNKNOWN_FIELD';
        return Array.isArray(input) ? 'E_INVALID_JOIN several' : 'E_INVALID_JOIN shape';
      },
    },
  );

/** A pattern cannot check for leap years, so JSON Schema accepts every February 29. */
const LOCAL_DATE_TIME = [
  '^\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|[12]\\d))',
  'T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$',
].join('');

const localDateTime = z
  .string(fault('E_TIME_REQUIRED text'))
  .refine(isLocalDateTime, fault('E_INVALID_TIME_RANGE format'))
  .meta({ pattern: LOCAL_DATE_TIME });

/** Matches full zone names, for clients that do not have the server's list of zones. */
const ZONE_PATTERN = '^(UTC|[A-Z][^/]*/.+)$';

const zone = (zones: ReadonlySet<string> | undefined) =>
  z
    .string(fault('E_TIME_REQUIRED text'))
    .refine((name) => zones?.has(name) !== false, fault('E_INVALID_TZ'))
    .meta(zones === undefined ? { pattern: ZONE_PATTERN } : { enum: [...zones] });

const viewTime = z
  .strictObject(
    { start: localDateTime, end: localDateTime },
    fault('E_TIME_REQUIRED view', { key: 'E_UNKNOWN_FIELD' }),
  )
  .meta({ description: 'The time range of this view, instead of the range of the query.' });

/** Clauses that can be switched off, and the feature that controls each. */
export const CLAUSE_FEATURES = {
  time: 'view_time',
  filter: 'filter',
  join: 'join',
  calc: 'calc',
  add: 'calc',
  sort: 'sort',
  fill_periods: 'fill_periods',
} as const;

const clauseSchemas = (contract: Contract, filter = filterSchema(contract)) => ({
  time: viewTime,
  filter,
  join: joinSchema(contract),
  calc: calcSchema(contract, filter),
  add: listOf(z.string(fault('E_ADD_NOT_SUBSET_OF_CALC shape')), fault('E_ADD_NOT_SUBSET_OF_CALC shape')),
  sort: sortSchema(contract),
  fill_periods: z.string(fault('E_INVALID_VIEW fill-shape')).min(1, lengthFault('E_INVALID_VIEW fill-shape')),
});

const page = {
  offset: z.int(fault('E_INVALID_RESULT offset')).min(0, fault('E_INVALID_RESULT offset')).optional(),
  data_version: z.string(fault('E_INVALID_RESULT data_version')).optional(),
};

export type CheckedPage = z.infer<z.ZodObject<typeof page>>;

/** All clauses of a view. */
export type Clauses = {
  readonly [Clause in keyof ReturnType<typeof clauseSchemas>]?:
    | z.infer<ReturnType<typeof clauseSchemas>[Clause]>
    | undefined;
};

/** The schema of a query. Without `zones`, it accepts all names that look like time zones. */
export function querySchema(contract: Contract, zones?: ReadonlySet<string>) {
  const { rules } = contract;
  const { limits } = rules;
  const schemas = Object.entries(clauseSchemas(contract));
  const features: Readonly<Record<string, string>> = CLAUSE_FEATURES;
  const clauses = Object.fromEntries(
    schemas
      .filter(([name]) => isEnabled(contract, features[name] ?? ''))
      .map(([name, schema]) => [name, schema.optional()]),
  );
  const keepEntry = z.string(fault('E_UNKNOWN_COLUMN unqualified')).regex(QUALIFIED_NAME, {
    error: ({ input }): Fault =>
      typeof input === 'string' && input.includes('(')
        ? 'E_KEEP_EXPR_FORBIDDEN'
        : 'E_UNKNOWN_COLUMN unqualified',
  });
  const view = z
    .strictObject(
      {
        from: z.tuple(
          [z.string(fault('E_INVALID_FROM'))],
          fault('E_INVALID_FROM', { missing: 'E_INVALID_VIEW from' }),
        ),
        keep: listOf(
          keepEntry,
          fault('E_UNKNOWN_COLUMN not-list', { missing: 'E_INVALID_VIEW keep' }),
          (list) => list.meta({ maxItems: limits.max_columns }),
        ),
        ...clauses,
      },
      fault('E_INVALID_VIEW shape', { key: 'E_UNKNOWN_FIELD' }),
    )
    .meta({ anyOf: [{ properties: { keep: { minItems: 1 } } }, { required: ['calc'] }] });
  return z.strictObject(
    {
      tracking_id: z
        .unknown()
        .refine((given) => given !== undefined, fault('E_MISSING_FIELD'))
        .meta({ type: 'string', pattern: TRACKING_ID.source }),
      materials: listOf(
        z.strictObject(
          { name: z.string(fault('E_UNKNOWN_MATERIAL shape')) },
          fault('E_UNKNOWN_MATERIAL shape', { key: 'E_UNKNOWN_FIELD' }),
        ),
        fault('E_UNKNOWN_MATERIAL shape', { missing: 'E_MISSING_FIELD' }),
        (list) => list.min(1, lengthFault('E_UNKNOWN_MATERIAL shape')),
      ),
      time: z.strictObject(
        { start: localDateTime, end: localDateTime, tz: zone(zones) },
        fault('E_TIME_REQUIRED shape', { key: 'E_UNKNOWN_FIELD' }),
      ),
      make: collection(
        z
          .record(
            z.string().regex(new RegExp(rules.request.view_name)),
            member(view),
            fault('E_INVALID_MAKE', { missing: 'E_MISSING_FIELD', key: 'E_INVALID_VIEW_NAME pattern' }),
          )
          .refine((make) => Object.keys(make).length > 0, fault('E_INVALID_MAKE'))
          .meta({ minProperties: 1, maxProperties: limits.max_views }),
      ),
      result: z.strictObject(
        {
          use: z.string(fault('E_INVALID_RESULT use')),
          limit: z
            .int(fault('E_INVALID_LIMIT'))
            .min(1, fault('E_INVALID_LIMIT'))
            .max(limits.max_rows, fault('E_INVALID_LIMIT'))
            .optional(),
          count_only: z.boolean(fault('E_INVALID_COUNT_ONLY')).optional(),
          ...(isEnabled(contract, 'result_offset') ? page : ({} as Partial<typeof page>)),
        },
        fault('E_INVALID_RESULT shape', { missing: 'E_MISSING_FIELD', key: 'E_RESULT_FORBIDDEN_KEY' }),
      ),
    },
    fault('E_INVALID_JSON not-object', { key: 'E_UNKNOWN_FIELD' }),
  );
}

type Schema = ReturnType<typeof querySchema>;
const schemas = new WeakMap<Contract, { readonly zones: ReadonlySet<string>; readonly schema: Schema }>();

/** Like `querySchema`, but cached. */
export function schemaOf({ contract, zones }: ParseContext): Schema {
  const known = schemas.get(contract);
  if (known?.zones === zones) return known.schema;
  const schema = querySchema(contract, zones);
  schemas.set(contract, { zones, schema });
  return schema;
}
