// Owns the shape of a query as zod schemas; names are not looked up here.
// contract -> schema, so that a clause whose feature is off is no key at all, in the checks and in the JSON Schema.
import { z } from 'zod';
import { type Contract, isEnabled } from '../../contracts/contract';
import { isLocalDateTime } from '../../time/local-time';
import { CALC_FUNCTIONS, COMPARISONS, JOIN_MODES } from '../types/parsed-query';

export const CALC_EXPRESSION = /^\s*([A-Za-z_]+)\s*\(\s*([^\s()]+)\.([A-Za-z0-9_]+)\s*\)\s*$/;
export const QUALIFIED_NAME = /^([^\s()]+)\.([A-Za-z0-9_]+)$/;
export const OUTPUT_NAME = /^[A-Za-z0-9_]+$/;

const CALC_FUNCTION_NAMES: ReadonlySet<string> = new Set(CALC_FUNCTIONS);

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const value = z.union([z.string(), z.number(), z.boolean()]);

const operators = z
  .strictObject({
    ...Object.fromEntries(COMPARISONS.map((operator) => [operator, scalar.optional()])),
    in: z.array(value).optional(),
    between: z.tuple([value, value]).optional(),
  })
  .refine((given) => Object.keys(given).length > 0)
  .meta({ minProperties: 1 });

/** A scalar means eq, a list means in. */
export const filterValueSchema = z.union([scalar, z.array(value), operators]);

/** The pattern of an expression with the known functions in it, in any case: JSON Schema has no flags. */
const knownCalls = ({ source }: RegExp): string => {
  const names = CALC_FUNCTIONS.map((name) => name.replace(/[A-Z]/g, (it) => `[${it}${it.toLowerCase()}]`));
  return source.replace('([A-Za-z_]+)', () => `(${names.join('|')})`);
};

const calcExpression = z
  .string()
  .regex(CALC_EXPRESSION)
  .refine((text) => CALC_FUNCTION_NAMES.has((CALC_EXPRESSION.exec(text)?.[1] ?? '').toUpperCase()))
  .meta({ pattern: knownCalls(CALC_EXPRESSION) });

const sort = z.strictObject({
  by: z.string().min(1),
  order: z.enum(['asc', 'desc']),
  top: z.int().min(1).optional(),
});

const onPair = z.strictObject({
  left: z.string().regex(QUALIFIED_NAME),
  right: z.string().regex(QUALIFIED_NAME),
});

const join = z.strictObject({
  with: z.string().min(1),
  on: z.array(onPair).min(1),
  'if not match': z.enum(JOIN_MODES).optional(),
  fill: scalar.optional(),
});

/** JSON Schema cannot count leap years: it lets every 29 February pass. */
const LOCAL_DATE_TIME = [
  '^\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|[12]\\d))',
  'T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$',
].join('');

const localDateTime = z.string().refine(isLocalDateTime).meta({ pattern: LOCAL_DATE_TIME });

/** The clauses of a view that a feature flag governs; `add` comes with calc. */
export const CLAUSE_SCHEMAS = {
  filter: { feature: 'filter', schema: z.record(z.string(), filterValueSchema) },
  join: { feature: 'join', schema: join },
  calc: {
    feature: 'calc',
    schema: z
      .record(z.string().regex(OUTPUT_NAME), calcExpression)
      .refine((calc) => Object.keys(calc).length > 0)
      .meta({ minProperties: 1 }),
  },
  add: { feature: 'calc', schema: z.array(z.string()) },
  sort: { feature: 'sort', schema: sort },
} as const;

/** The schema of a query under a contract and the features that are on. */
export function querySchema(contract: Contract) {
  const { rules } = contract;
  const clauses = Object.fromEntries(
    Object.entries(CLAUSE_SCHEMAS)
      .filter(([, clause]) => isEnabled(contract, clause.feature))
      .map(([name, clause]) => [name, clause.schema.optional()]),
  );
  const view = z
    .strictObject({
      from: z.tuple([z.string()]),
      keep: z.array(z.string().regex(QUALIFIED_NAME)).meta({ maxItems: rules.limits.max_columns }),
      ...clauses,
    })
    .meta({ anyOf: [{ properties: { keep: { minItems: 1 } } }, { required: ['calc'] }] });
  return z.strictObject({
    tracking_id: z
      .unknown()
      .refine((given) => given !== undefined)
      .meta({ type: 'string', pattern: '^[a-zA-Z0-9_-]+$' }),
    materials: z.array(z.strictObject({ name: z.string() })).min(1),
    time: z.strictObject({ start: localDateTime, end: localDateTime, tz: z.string() }),
    make: z
      .record(z.string().regex(new RegExp(rules.request.view_name)), view)
      .refine((make) => Object.keys(make).length > 0)
      .meta({ minProperties: 1, maxProperties: rules.limits.max_views }),
    result: z.strictObject({
      use: z.string(),
      limit: z.int().min(1).max(rules.limits.max_rows).optional(),
      count_only: z.boolean().optional(),
    }),
  });
}
