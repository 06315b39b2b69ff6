// JSON values.
import type { Path } from './path';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !isJsonList(value);

/** Array.isArray for readonly lists. */
export const isJsonList = (value: JsonValue | undefined): value is readonly JsonValue[] =>
  Array.isArray(value);

type Scalar = string | number | boolean | null;

export const isJsonScalar = (value: JsonValue): value is Scalar =>
  value === null || typeof value !== 'object';

/** `String` for scalars only: parsed objects have no prototype, so `String` would throw. */
export const scalarText = (value: Scalar | undefined): string => `${value}`;

/** The value at a path; undefined if the path does not exist. */
export function valueAt(root: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) {
    if (isJsonList(value)) value = value[Number(step)];
    else if (isJsonObject(value)) value = value[step];
    else return undefined;
  }
  return value;
}
