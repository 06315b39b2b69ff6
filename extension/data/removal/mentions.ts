// Finds records that mention a visitor. In queries, only whole values count: "page 7" and a limit of 7 do not mention a visitor named 7.
// Rejected rows and messages of failed imports may contain lines of a log, so whole words count there.
import type { KnownVisitor } from './find-visitor';
import type { Bind } from './removal-plan';

/** A number compared with one of these columns means a visitor. */
const VISITOR_COLUMNS = 'reader_id|original_id';

/** Longer than any value in these records. */
const LONGEST_TEXT = 1000;
/** The shortest beginning of a name that still identifies the visitor in a record that shortened it. */
const SHORTEST_BEGINNING = 8;
/** Records show at most 200 characters of a value, after its quotation mark. */
const MOST_SHOWN = 201;

export interface Mentions {
  /** Whether a text quotes the visitor, or contains one of their names as words. */
  inText(text: string, bind: Bind): string;
  /** Whether the text of a query quotes the visitor, or compares with one of their numbers. */
  inQuery(text: string, bind: Bind): string;
}

export const namesOf = ({ names, earlierNames }: KnownVisitor): readonly string[] => [
  ...names,
  ...earlierNames,
];

export function mentionsOf(visitor: KnownVisitor): Mentions {
  const names = namesOf(visitor);
  const quoted = names.flatMap(quotedIn);
  const words = names
    .flatMap((name) => [name, JSON.stringify(name).slice(1, -1)])
    .filter(({ length }) => length <= LONGEST_TEXT)
    .map(wordPattern);
  const numbers = [
    ...new Set([...visitor.readerIds.map(String), ...names.filter((name) => /^\d+$/.test(name))]),
  ];
  const quotes = (text: string, bind: Bind): string =>
    `EXISTS (SELECT FROM unnest(${bind(quoted)}::text[]) part WHERE position(part IN ${text}) > 0)`;
  return {
    inText: (text, bind) => `(${quotes(text, bind)} OR ${text} ~ ANY (${bind(words)}::text[]))`,
    inQuery: (text, bind) =>
      `(${quotes(text, bind)} OR ${text} ~ '${VISITOR_COLUMNS}' AND EXISTS (
         SELECT FROM unnest(${bind(numbers)}::text[]) number WHERE ${text} ~ ('(?<![\\w."-])' || number || '(?![\\w"]|\\.\\d)')))`,
  };
}

const wordPattern = (name: string): string =>
  `(?<![[:alnum:]])${name.replace(/[!-/:-@[-`{-~]/g, '\\$&')}(?![[:alnum:]])`;

/** A value as bodies and messages quote it: in JSON as clients may write it, whole or with "..." after its beginning. */
function quotedIn(name: string): readonly string[] {
  const json = JSON.stringify(name);
  const ascii = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const written = [json, ascii].flatMap((one) => [one, one.replaceAll('/', '\\/')]);
  const shortest = Math.min(SHORTEST_BEGINNING, name.length) + 1;
  const shortened: string[] = [];
  for (let end = shortest; end <= Math.min(json.length - 1, MOST_SHOWN); end += 1)
    shortened.push(`${json.slice(0, end)}...`);
  return [...new Set([...written, ...shortened])];
}
