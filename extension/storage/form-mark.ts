// Owns the mark by which a form says what it was filled from, so that a change in between is not undone in silence.
// Values as JSON -> a short text, the same for equal values whatever the order of their keys.
import { createHash } from 'node:crypto';

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

export const markOf = (values: object): string =>
  createHash('sha256').update(JSON.stringify(values, inOrder)).digest('base64url').slice(0, 22);

/** What is stored is not what the form was filled from: nothing was saved. */
export class ChangedMeanwhile<Stored> extends Error {
  override readonly name = 'ChangedMeanwhile';
  constructor(readonly stored: Stored) {
    super('It was changed by somebody else in the meantime.');
  }
}
