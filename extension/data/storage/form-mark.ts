// The mark of what a form was filled from, so that saving it does not silently undo a change in between.
import { createHash } from 'node:crypto';

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** A short text, the same for equal values whatever the order of their keys. */
export const markOf = (values: object): string =>
  createHash('sha256').update(JSON.stringify(values, inOrder)).digest('base64url').slice(0, 22);

/** Nothing was saved, because the stored values are no longer those that the form showed. */
export class ChangedMeanwhile<Stored> extends Error {
  override readonly name = 'ChangedMeanwhile';
  constructor(readonly stored: Stored) {
    super('It was changed by somebody else in the meantime.');
  }
}
