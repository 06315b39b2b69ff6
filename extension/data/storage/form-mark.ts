// A hash of the values that a form showed, so that saving the form does not silently overwrite another user's change.
import { hash } from 'node:crypto';

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** A short hash that does not depend on the order of the keys. */
export const markOf = (values: object): string =>
  hash('sha256', JSON.stringify(values, inOrder), 'base64url').slice(0, 22);

/** Nothing was saved, because the stored values have changed since the form was opened. */
export interface Changed<Stored> {
  readonly stored: Stored;
}
