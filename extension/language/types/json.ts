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

/** Returns undefined if the text is not JSON. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Like `String`, but for scalars only: `String` accepts parsed objects and then throws, because they have no prototype. */
export const scalarText = (value: Scalar | undefined): string => `${value}`;

export function valueAt(root: JsonValue, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) {
    if (isJsonList(value)) value = value[Number(step)];
    else if (isJsonObject(value)) value = value[step];
    else return undefined;
  }
  return value;
}
