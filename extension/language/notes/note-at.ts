import { fill } from '../errors/query-error';
import { formatPath, type Path } from '../types/path';
import type { Note } from '../types/query-result';
import { NOTES, type NoteName } from './note-table';

export function noteAt(path: Path, name: NoteName, given: Readonly<Record<string, unknown>>): Note {
  const words: { readonly message: string; readonly hint?: string } = NOTES[name];
  const { message, hint } = words;
  const place = { at: formatPath(path) ?? '', message: fill(message, given) };
  const isKnown = hint !== undefined && (given.right !== undefined || !/<right[:>]/.test(hint));
  return isKnown ? { ...place, hint: fill(hint, given) } : place;
}
