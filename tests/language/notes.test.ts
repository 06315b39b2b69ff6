import { join } from 'node:path';
import { NOTES } from '../../extension/language/notes/note-table';
import { readCases } from './case-file';

const shown = readCases(join(__dirname, 'cases')).flatMap(({ notes = [] }) => notes);

/** Matches the text, with any values for its parameters. */
const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/<[\w:]+>/g, '.+')}$`);

test.each(Object.entries(NOTES))('a case shows the note: %s', (_name, words) => {
  const { message, hint }: { readonly message: string; readonly hint?: string } = words;
  const found = shown.filter((note) => patternOf(message).test(note.message));
  expect(found).not.toEqual([]);
  const hints = found.flatMap((note) => note.hint ?? []);
  for (const text of hints) expect(text).toMatch(patternOf(hint ?? ''));
  // A note has no hint if the correct value is unknown.
  if (hint?.includes('<right')) expect(hints).not.toEqual([]);
  else expect(hints).toHaveLength(hint === undefined ? 0 : found.length);
});
