// Which parts of a JSON Schema speak of a place: schema + path -> the sub-schemas there, alternatives side by side.
// Knows the keywords that the served schema of a query uses.
import type { Step } from './query-text';

/** A JSON Schema, as far as it is read here. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema | boolean>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly (Schema | boolean)[];
  readonly anyOf?: readonly (Schema | boolean)[];
}

const isSchema = (schema: Schema | boolean | undefined): schema is Schema => typeof schema === 'object';

/** A schema and the alternatives that it names. */
const withAlternatives = (schema: Schema): readonly Schema[] => [
  schema,
  ...(schema.anyOf ?? []).filter(isSchema).flatMap(withAlternatives),
];

function step(schema: Schema, key: Step): readonly Schema[] {
  const next =
    typeof key === 'number'
      ? (schema.prefixItems?.[key] ?? schema.items)
      : (schema.properties?.[key] ?? schema.additionalProperties);
  return isSchema(next) ? withAlternatives(next) : [];
}

/** All that the schema says of a place of the query. */
export const schemasAt = (schema: Schema, path: readonly Step[]): readonly Schema[] =>
  path.reduce<readonly Schema[]>(
    (schemas, key) => schemas.flatMap((it) => step(it, key)),
    withAlternatives(schema),
  );

/** The keys that an object at a place may have, each with what it means. */
export function keysAt(schema: Schema, path: readonly Step[]): ReadonlyMap<string, Schema> {
  const all = schemasAt(schema, path).flatMap(({ properties = {} }) => Object.entries(properties));
  const keys = new Map<string, Schema>();
  for (const [key, value] of all)
    if (isSchema(value) && (!keys.has(key) || value.description !== undefined)) keys.set(key, value);
  return keys;
}

/** What the schema tells a reader of a place, or of what it is part of. */
export function descriptionAt(schema: Schema, path: readonly Step[]): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const found = schemasAt(schema, path.slice(0, length)).find(
      ({ description }) => description !== undefined,
    );
    if (found !== undefined) return found.description;
  }
  return undefined;
}
