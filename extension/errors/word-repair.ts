// Owns the words of a repair: edits of a query -> the sentence of a hint.
import { formatPath } from '../qal/types/path';
import type { Edit, Repair } from '../qal/types/repair';
import { list } from './wording';

/** Longer values are not repeated. */
const LONGEST = 200;

/** `Write "from": ["allpv"].`; undefined when it would be long. `at` is the place of the error. */
export function wordRepair({ edits }: Repair, at: string | undefined): string | undefined {
  const phrases = edits.map((edit) => phraseOf(edit, at ?? ''));
  if (phrases.some((phrase) => phrase.length > LONGEST)) return undefined;
  const sentence = list(phrases);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function phraseOf(edit: Edit, at: string): string {
  const key = edit.path.at(-1);
  if ('rename' in edit) return `call it ${JSON.stringify(edit.rename)}`;
  if ('remove' in edit) return typeof key === 'number' ? 'take it out' : `take ${JSON.stringify(key)} out`;
  const value = typeof key === 'string' ? `"${key}": ${spaced(edit.value)}` : spaced(edit.value);
  const parent = formatPath(edit.path.slice(0, -1)) ?? '';
  return at.startsWith(parent) ? `write ${value}` : `in ${parent} write ${value}`;
}

/** JSON as people write it on one line. */
const spaced = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/([[{])\n */g, '$1')
    .replace(/\n *([\]}])/g, '$1')
    .replace(/\n */g, ' ');
