import { formatPath } from '../types/path';
import type { Edit, Repair } from '../types/repair';
import { ERRORS, type ErrorCode, type ErrorEntry, type Words } from './error-table';
import type { Fault, Given, Parameters } from './fault';

/** The error for an invalid request, independent of the contract. Any other exception is a server error. */
export class QueryError extends Error {
  override readonly name = 'QueryError';

  constructor(
    readonly code: ErrorCode,
    readonly status: number,
    message: string,
    /** A path into the query, such as `make.top.from`; undefined if the body is not the cause. */
    readonly at: string | undefined,
    readonly hint: string | undefined,
    readonly details: Readonly<Record<string, unknown>> | undefined,
    readonly repair: Repair | undefined,
  ) {
    super(message);
  }

  /** Returns a copy with the whole corrected query in its details. */
  withRepaired(repaired: unknown): QueryError {
    const { code, status, message, at, hint, details, repair } = this;
    return new QueryError(code, status, message, at, hint, { ...details, repaired }, repair);
  }

  /** Returns a copy with a repair, and a hint that shows it. */
  withRepair(repair: Repair): QueryError {
    const { code, status, message, at, hint, details } = this;
    return new QueryError(code, status, message, at, wordRepair(repair, at ?? '') ?? hint, details, repair);
  }
}

/** Creates an error with the wording from the error table. */
export const queryError = <Name extends Fault>(
  fault: Name,
  at: string | undefined,
  parameters: Parameters<Name>,
  repair?: Repair,
): QueryError => faultError(fault, at, parameters, repair);

/** The maximum number of shape errors, and of name errors, that a check lists. */
export const MAX_FAULTS = 100;

/** The last entry in the list if there are more errors. */
export const moreFaults = (): QueryError =>
  queryError('E_QUERY_TOO_LARGE faults', undefined, { max: MAX_FAULTS });

/** Like `queryError`, for errors that are only known at run time. */
export function faultError(
  fault: Fault,
  at: string | undefined,
  given: Given,
  repair: Repair | undefined,
): QueryError {
  const [code, problem = ''] = fault.split(' ', 2) as [ErrorCode, string?];
  const { status, faults, ...own }: ErrorEntry = ERRORS[code];
  const words: Partial<Words> = faults?.[problem] ?? own;
  const named = given.hint === undefined ? words.hint : words.hints?.[given.hint];
  const hint =
    (named && fill(named, given)) ??
    (repair && wordRepair(repair, at ?? '')) ??
    (given.nearest === undefined ? undefined : `Did you mean "${given.nearest}"?`) ??
    (words.example && fill(words.example, given));
  const details =
    words.details &&
    Object.fromEntries(
      Object.entries(words.details).map(([field, name]) => [field, name === 'hint' ? hint : given[name]]),
    );
  const { message = '' } = words;
  const isMissing = given.received === undefined;
  const text = isMissing ? message.replace(', not <received>.', '; it is missing.') : message;
  return new QueryError(code, status, fill(text, given), at, hint, details, repair);
}

/** Fills in the placeholders in a string. */
export const fill = (text: string, given: Given): string =>
  text.replace(/<(\w+)(?::(\w+))?>/g, (_, name: string, form?: string) => {
    const value = given[name];
    if (form === 'text') return plain(value);
    if (form === undefined || !Array.isArray(value)) return quote(value);
    if (form === 'either') return listOf(value.map(quote), 'or');
    return listOf(form === 'quoted' ? value.map(quote) : value.map(plain));
  });

const plain = (value: unknown): string => (typeof value === 'string' ? value : quote(value));

/** JSON, shortened to fit into a sentence. */
function quote(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(beginning(value, { values: MAX_QUOTED }));
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 3)}...` : text;
}

const MAX_QUOTED = 120;

/** Shortens a value before it is quoted: a list may have 100,000 values, and every error in the list quotes all of it. */
function beginning(value: unknown, left: { values: number }): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_QUOTED);
  if (typeof value !== 'object' || value === null) return value;
  const some: [string, unknown][] = [];
  for (const [key, item] of Object.entries(Array.isArray(value) ? value.slice(0, left.values) : value)) {
    if (left.values <= 0) break;
    left.values -= 1;
    some.push([key.slice(0, MAX_QUOTED), beginning(item, left)]);
  }
  return Array.isArray(value) ? some.map(([, item]) => item) : Object.fromEntries(some);
}

/** Lists show up to this many names, followed by the number of others. */
const MAX_LISTED = 100;

/** `a, b and c`. */
function listOf(all: readonly string[], last = 'and'): string {
  const items =
    all.length > MAX_LISTED ? [...all.slice(0, MAX_LISTED), `${all.length - MAX_LISTED} more`] : all;
  if (items.length < 2) return items[0] ?? 'none';
  return `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/** The maximum length of an edit in a hint. */
const MAX_EDIT_LENGTH = 200;

/** Describes a repair: `Write "from": ["allpv"].` Returns undefined if the sentence is too long. */
function wordRepair({ edits }: Repair, at: string): string | undefined {
  const phrases = edits.map((edit) => wordEdit(edit, at));
  if (phrases.some((phrase) => phrase.length > MAX_EDIT_LENGTH)) return undefined;
  const sentence = listOf(phrases);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function wordEdit(edit: Edit, at: string): string {
  const key = edit.path.at(-1);
  if ('rename' in edit) return `rename it to ${JSON.stringify(edit.rename)}`;
  if ('remove' in edit) return typeof key === 'number' ? 'remove it' : `remove ${JSON.stringify(key)}`;
  const value = typeof key === 'string' ? `"${key}": ${spaced(edit.value)}` : spaced(edit.value);
  const parent = formatPath(edit.path.slice(0, -1)) ?? '';
  return at.startsWith(parent) ? `write ${value}` : `write ${value} in ${parent}`;
}

const spaced = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/([[{])\n */g, '$1')
    .replace(/\n *([\]}])/g, '$1')
    .replace(/\n */g, ' ');
