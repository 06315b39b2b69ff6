// What the page opens with, and the drafts that the browser saves for each login: of a new query, and of each saved query that was changed.
// A tab has its own drafts; a new tab begins with those that were saved last in any of them.
// What a link, an example or a saved query brought is no draft until somebody changes it.
import { fetchRest } from '../shared/rest';
import { isObject } from '../shared/rest-answer';
import type { Origin } from './editor';
import { formatQuery } from './format-query';
import { pagesRoute, type Question } from './question';
import { isAsSaved } from './saved-bar';
import { type SavedText, savedAddress } from './saved-queries';

const SAVE_AFTER_MS = 300;

const storageKey = (login: string, id?: number): string =>
  id === undefined ? `qal-playground:${login}` : `qal-playground:${login}:${id}`;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

interface SavedDraft extends Question {
  /** Of the saved query that was changed. */
  readonly revision?: number;
}

/** Undefined where nothing is saved, or where the browser saves nothing (private windows). */
export function readDraft(login: string, id?: number): SavedDraft | undefined {
  try {
    const key = storageKey(login, id);
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

/** Whether the browser saved it; undefined removes it. */
function saveDraft(key: string, draft: SavedDraft | undefined): boolean {
  try {
    for (const storage of [sessionStorage, localStorage])
      if (draft === undefined) storage.removeItem(key);
      else storage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    // Full, or not allowed: the draft lives as long as the page.
    return false;
  }
}

/** The query behind the # of the address. */
function queryInHash(): string | undefined {
  try {
    return location.hash.length < 2 ? undefined : decodeURIComponent(location.hash.slice(1));
  } catch {
    return undefined;
  }
}

const inAddress = (name: string): string | null => new URLSearchParams(location.search).get(name);

/** Whether the address says which query or version is meant. */
export const isAddressed = (): boolean => inAddress('version') !== null || queryInHash() !== undefined;

/** Whether the address asks for its query to be run when it opens; only the first time, so that a reload does not. */
export function takeRun(): boolean {
  const search = new URLSearchParams(location.search);
  if (!search.has('run')) return false;
  search.delete('run');
  const rest = search.size === 0 ? '' : `?${search}`;
  history.replaceState(null, '', location.pathname + rest + location.hash);
  return true;
}

/** The address of a saved query, or one without the query that it had: a reload would bring that back. */
function setAddress(saved: SavedText | undefined): void {
  const search = new URLSearchParams(location.search);
  for (const name of ['record', 'query']) search.delete(name);
  const own = search.size === 0 ? location.pathname : `${location.pathname}?${search}`;
  const address = saved === undefined ? own : savedAddress(saved.id);
  if (address !== location.pathname + location.search + location.hash)
    history.replaceState(null, '', address);
}

/** Queries on one line are formatted; queries that somebody laid out stay as they are. */
function readable(given: string): string {
  const text = given.replace(/\r\n?/g, '\n');
  return text.trim().includes('\n') ? text : formatQuery(text);
}

interface LinkedQueryParts {
  readonly namespace: string;
  readonly login: string;
  fetchSaved(id: string): Promise<SavedText>;
  /** `draft` is what was changed in it, in this browser. */
  open(text: string, origin: Partial<Origin>, draft?: Question): void;
}

/** Opens the query of the address, now and whenever a link changes the part behind #. Rejects with a sentence. */
export async function openLinkedQuery({
  namespace,
  login,
  fetchSaved,
  open,
}: LinkedQueryParts): Promise<void> {
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
    const draft = readDraft(login, saved.id);
    // Saving goes on from the revision that was changed.
    const { revision = saved.revision } = draft ?? {};
    open(saved.text, { version: saved.version, saved: { ...saved, revision } }, draft);
  } else if (record !== null) {
    const { body, version } = await fetchRest(pagesRoute(namespace, 'query-record', { id: record }));
    open(readable(textOf(body)), { version: textOf(version) });
  }
}

interface Draft {
  /** This text is no draft: it is somewhere else, too. `fromLink`: the address has it. */
  opened(text: string, fromLink: boolean): void;
  /** The text was changed; `then` follows once nobody has typed for a moment. */
  changed(then: () => void): void;
}

/** Saves what is in the editor after changes, and when the page is left. Asks before leaving if the browser saves nothing. */
export function keepDraft(
  login: string,
  current: () => { readonly text: string; readonly origin: Origin },
): Draft {
  const brought = new Set<string>();
  let linked: string | undefined;
  let isChanged = false;
  let timer: number | undefined;
  function save(): boolean {
    const { text, origin } = current();
    const { version, saved } = origin;
    if (!isChanged || (saved === undefined && brought.has(text))) return true;
    const key = storageKey(login, saved?.id);
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
    opened(text, fromLink) {
      save();
      isChanged = false;
      linked = fromLink ? text : undefined;
      brought.add(text);
    },
    changed(then) {
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
