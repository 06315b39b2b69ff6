// The query that the page opens with, and drafts that the browser saves for each login: one for a new query, and one for each
// edited saved query. Each tab has its own drafts; a new tab starts with the latest draft of any tab. Text from a link, an
// example or a saved query becomes a draft when it is edited.
import { fetchRest } from '../shared/rest';
import { isObject } from '../shared/rest-answer';
import type { Origin } from './editor';
import { formatQuery } from './format-query';
import { ownLogin, pagesRoute, type Question } from './question';
import { isAsSaved } from './saved-bar';
import { fetchSaved, type SavedText, savedAddress } from './saved-queries';

const SAVE_AFTER_MS = 300;

const storageKey = (id?: number): string =>
  ['qal-playground', ownLogin(), ...(id === undefined ? [] : [id])].join(':');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

interface SavedDraft extends Question {
  /** The revision of the saved query that was edited. */
  readonly revision?: number;
}

/** Undefined if there is no draft, or if the browser stores nothing (private windows). */
export function readDraft(id?: number): SavedDraft | undefined {
  try {
    const key = storageKey(id);
    const saved: unknown = JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? 'null');
    if (!isObject(saved)) return undefined;
    const { text, version, revision } = saved;
    return {
      text: textOf(text),
      version: textOf(version),
      ...(typeof revision === 'number' && { revision }),
    };
  } catch {
    return undefined;
  }
}

/** Returns whether the browser stored the draft. An undefined draft deletes the stored one. */
function saveDraft(key: string, draft: SavedDraft | undefined): boolean {
  try {
    for (const storage of [sessionStorage, localStorage])
      if (draft === undefined) storage.removeItem(key);
      else storage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    // Storage is full or not allowed: the draft exists only while the page is open.
    return false;
  }
}

/** The query after the # in the address. */
function queryInHash(): string | undefined {
  try {
    return location.hash.length < 2 ? undefined : decodeURIComponent(location.hash.slice(1));
  } catch {
    return undefined;
  }
}

const inAddress = (name: string): string | null => new URLSearchParams(location.search).get(name);

/** Whether the address has a query or a version. */
export const isAddressed = (): boolean => inAddress('version') !== null || queryInHash() !== undefined;

/**
 * Whether to run the query in the address immediately. Removes `run` from the address, so that a reload does not run
 * the query again.
 */
export function takeRun(): boolean {
  const address = new URL(location.href);
  if (!address.searchParams.has('run')) return false;
  address.searchParams.delete('run');
  history.replaceState(null, '', address);
  return true;
}

/** Changes the address to a saved query's, or removes any query from it, because a reload would restore that query. */
function setAddress(saved: SavedText | undefined): void {
  const search = new URLSearchParams(location.search);
  for (const name of ['record', 'query']) search.delete(name);
  const own = search.size === 0 ? location.pathname : `${location.pathname}?${search}`;
  const address = saved === undefined ? own : savedAddress(saved.id);
  if (address !== location.pathname + location.search + location.hash)
    history.replaceState(null, '', address);
}

/** Formats single-line queries; multi-line queries stay as written. */
function readable(given: string): string {
  const text = given.replace(/\r\n?/g, '\n');
  return text.trim().includes('\n') ? text : formatQuery(text);
}

/** Opens the query in the address, now and after each change to the hash. Rejects with a message that can be shown. */
export async function openLinkedQuery(
  open: (text: string, origin: Partial<Origin>, draft?: Question) => void,
): Promise<void> {
  const openHash = () => {
    const text = queryInHash();
    if (text !== undefined) open(readable(text), {});
    return text !== undefined;
  };
  window.addEventListener('hashchange', openHash);
  if (openHash()) return;
  const id = inAddress('query');
  const record = inAddress('record');
  if (id !== null) {
    const saved = await fetchSaved(id);
    const draft = readDraft(saved.id);
    // Saving continues from the edited revision.
    const { revision = saved.revision } = draft ?? {};
    open(saved.text, { version: saved.version, saved: { ...saved, revision } }, draft);
  } else if (record !== null) {
    const { body, version } = await fetchRest(pagesRoute('query-record', { id: record }));
    open(readable(textOf(body)), { version: textOf(version) });
  }
}

/** Saves the text after changes and on leaving the page. Asks before leaving if the text cannot be saved. */
export function keepDraft(current: () => { readonly text: string; readonly origin: Origin }) {
  const openedTexts = new Set<string>();
  let linked: string | undefined;
  let isChanged = false;
  let timer: number | undefined;
  function save(): boolean {
    const { text, origin } = current();
    const { version, saved } = origin;
    if (!isChanged || (saved === undefined && openedTexts.has(text))) return true;
    const key = storageKey(saved?.id);
    if (saved === undefined) return saveDraft(key, { text, version });
    if (!isAsSaved(origin, text)) return saveDraft(key, { text, version, revision: saved.revision });
    saveDraft(key, undefined);
    return true;
  }
  window.addEventListener('pagehide', save);
  window.addEventListener('beforeunload', (event) => {
    if (!save()) event.preventDefault();
  });
  return {
    /** The opened text is stored elsewhere, so it is not a draft. `fromLink`: it is in the address. */
    opened(text: string, fromLink: boolean): void {
      save();
      isChanged = false;
      linked = fromLink ? text : undefined;
      openedTexts.add(text);
    },
    /** Calls `then` after a pause in typing. */
    changed(then: () => void): void {
      isChanged = true;
      const { text, origin } = current();
      if (origin.saved !== undefined || linked !== text) setAddress(origin.saved);
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        save();
        then();
      }, SAVE_AFTER_MS);
    },
  };
}
