// A reader of JSON Schema 2020-12 for the keywords that our schemas have; it shares nothing with zod.
// document, schema, value -> the places that break it. A keyword that it does not know is a fault of the test.
export type Schema = Readonly<Record<string, unknown>>;

type Check = (operand: never, value: unknown, schema: Schema, at: string, root: Schema) => readonly string[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  object: isObject,
  array: Array.isArray,
};

const unless = (holds: boolean, at: string, what: string) => (holds ? [] : [`${at}: ${what}`]);

/** What only objects are asked; the other values pass. */
const ofObject =
  <Operand>(
    check: (
      operand: Operand,
      value: Record<string, unknown>,
      schema: Schema,
      at: string,
      root: Schema,
    ) => readonly string[],
  ) =>
  (operand: Operand, value: unknown, schema: Schema, at: string, root: Schema) =>
    isObject(value) ? check(operand, value, schema, at, root) : [];

const ofList =
  <Operand>(
    check: (
      operand: Operand,
      value: readonly unknown[],
      schema: Schema,
      at: string,
      root: Schema,
    ) => readonly string[],
  ) =>
  (operand: Operand, value: unknown, schema: Schema, at: string, root: Schema) =>
    Array.isArray(value) ? check(operand, value, schema, at, root) : [];

const nothing = (): readonly string[] => [];
const prefixLength = ({ prefixItems }: Schema) => (Array.isArray(prefixItems) ? prefixItems.length : 0);

const CHECKS: Readonly<Record<string, Check>> = {
  $schema: nothing,
  $id: nothing,
  title: nothing,
  description: nothing,
  // Said beside a pattern, which is what is checked.
  format: nothing,
  $ref: (target: string, value, _schema, at, root) => schemaFaults(resolved(target, root), value, at, root),
  type: (types: string | string[], value, _schema, at) =>
    unless(
      [types].flat().some((type) => TYPES[type]?.(value) === true),
      at,
      `is no ${types}`,
    ),
  enum: (values: unknown[], value, _schema, at) =>
    unless(values.includes(value), at, 'is none of the values'),
  const: (expected: unknown, value, _schema, at) => unless(value === expected, at, `is not ${expected}`),
  pattern: (pattern: string, value, _schema, at) =>
    unless(typeof value !== 'string' || new RegExp(pattern, 'u').test(value), at, `does not fit ${pattern}`),
  minLength: (least: number, value, _schema, at) =>
    unless(typeof value !== 'string' || value.length >= least, at, 'is too short'),
  minimum: (least: number, value, _schema, at) =>
    unless(typeof value !== 'number' || value >= least, at, 'is too small'),
  maximum: (most: number, value, _schema, at) =>
    unless(typeof value !== 'number' || value <= most, at, 'is too large'),
  minItems: ofList((least: number, value, _schema, at) =>
    unless(value.length >= least, at, 'has too few items'),
  ),
  maxItems: ofList((most: number, value, _schema, at) =>
    unless(value.length <= most, at, 'has too many items'),
  ),
  prefixItems: ofList((schemas: Schema[], value, _schema, at, root) =>
    value.flatMap((item, index) => schemaFaults(schemas[index] ?? true, item, `${at}[${index}]`, root)),
  ),
  items: ofList((items: Schema | boolean, value, schema, at, root) =>
    value
      .slice(prefixLength(schema))
      .flatMap((item, index) => schemaFaults(items, item, `${at}[${index + prefixLength(schema)}]`, root)),
  ),
  required: ofObject((names: string[], value, _schema, at) =>
    names.flatMap((name) => unless(Object.hasOwn(value, name), at, `lacks ${name}`)),
  ),
  minProperties: ofObject((least: number, value, _schema, at) =>
    unless(Object.keys(value).length >= least, at, 'has too few keys'),
  ),
  maxProperties: ofObject((most: number, value, _schema, at) =>
    unless(Object.keys(value).length <= most, at, 'has too many keys'),
  ),
  properties: ofObject((properties: Record<string, Schema>, value, _schema, at, root) =>
    Object.keys(value).flatMap((key) =>
      Object.hasOwn(properties, key)
        ? schemaFaults(properties[key] ?? true, value[key], `${at}.${key}`, root)
        : [],
    ),
  ),
  propertyNames: ofObject((names: Schema, value, _schema, at, root) =>
    Object.keys(value).flatMap((key) => schemaFaults(names, key, `${at}.${key}`, root)),
  ),
  additionalProperties: ofObject((rest: Schema | boolean, value, { properties }, at, root) =>
    Object.keys(value)
      .filter((key) => !isObject(properties) || !Object.hasOwn(properties, key))
      .flatMap((key) => schemaFaults(rest, value[key], `${at}.${key}`, root)),
  ),
  anyOf: (schemas: Schema[], value, _schema, at, root) => {
    const faults = schemas.map((schema) => schemaFaults(schema, value, at, root));
    return faults.some((one) => one.length === 0)
      ? []
      : [`${at}: fits none of [${faults.flat().join('; ')}]`];
  },
  if: (condition: Schema, value, schema, at, root) => {
    const holds = schemaFaults(condition, value, at, root).length === 0;
    // biome-ignore lint/complexity/useLiteralKeys: `then` as a property would look like a promise
    const next = holds ? schema['then'] : schema.else;
    return next === undefined ? [] : schemaFaults(next as Schema, value, at, root);
  },
  // Read by `if`.
  else: nothing,
};

function resolved(target: string, root: Schema): Schema {
  let found: unknown = root;
  for (const step of target.replace(/^#\//, '').split('/')) found = isObject(found) ? found[step] : undefined;
  if (!isObject(found)) throw new Error(`${target} leads nowhere.`);
  return found;
}

/** Where a value breaks a schema; `root` is the document that references are read in. */
export function schemaFaults(
  schema: Schema | boolean,
  value: unknown,
  at = '',
  root: Schema = isObject(schema) ? schema : {},
): readonly string[] {
  if (typeof schema === 'boolean') return unless(schema, at, 'may not be there');
  return Object.entries(schema).flatMap(([keyword, operand]) => {
    const check = CHECKS[keyword];
    if (check === undefined) throw new Error(`The keyword ${keyword} is not known here.`);
    return check(operand as never, value, schema, at, root);
  });
}
