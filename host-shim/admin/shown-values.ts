// A mark of the values that a form shows: the same values, the same mark. Kept nowhere, it travels with the form,
// so that whoever saves what somebody else has changed meanwhile is told, and does not undo it.
import { createHash } from 'node:crypto';

/** Short text for a hidden field. Order of keys and of lists counts. */
export const markOf = (values: object): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
