import { join } from 'node:path';
import { NOTES } from '../../extension/language/notes/note-table';
import { readCases } from './case-file';

const shown = readCases(join(__dirname, 'cases')).flatMap(({ notes = [] }) => notes);

/** A text with any values in place of its parameters. */
const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/<[\w:]+>/g, '.+')}$`);

test.each(Object.entries(NOTES))('a case shows the note: %s', (_name, words) => {
  const { message, hint }: { readonly message: string; readonly hint?: string } = words;
  const found = shown.filter((note) => patternOf(message).test(note.message));
  expect(found).not.toEqual([]);
  for (const note of found) expect(note.hint ?? '').toMatch(patternOf(hint ?? ''));
});
