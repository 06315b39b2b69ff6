// A mark of the values that a form was filled with, so that saving it does not silently overwrite a change made in between.
import { createHash } from 'node:crypto';

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** A short hash that is the same for equal values, whatever the order of their keys. */
export const markOf = (values: object): string =>
  createHash('sha256').update(JSON.stringify(values, inOrder)).digest('base64url').slice(0, 22);

/** Nothing was saved, because the stored values changed after the form was opened. */
export class ChangedMeanwhile<Stored> extends Error {
  override readonly name = 'ChangedMeanwhile';
  constructor(readonly stored: Stored) {
    super('Someone else changed it in the meantime.');
  }
}
