// The query that the page opens with, and the draft that the browser saves for each login.
// A tab has its own draft; a new tab begins with the one that was saved last in any of them.
// A query from a link stays in the address and is not saved until somebody changes it.
import { fetchRest } from '../shared/rest';
import { isObject } from '../shared/rest-answer';
import { formatQuery } from './format-query';
import { pagesRoute, type Question } from './question';

const SAVE_AFTER_MS = 300;

const storageKey = (login: string): string => `qal-playground:${login}`;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Undefined where nothing is saved, or where the browser saves nothing (private windows). */
export function readDraft(login: string): Question | undefined {
  try {
    const key = storageKey(login);
    const saved: unknown = JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? 'null');
    return isObject(saved) ? { text: textOf(saved.text), version: textOf(saved.version) } : undefined;
  } catch {
    return undefined;
  }
}

function saveDraft(login: string, draft: Question): void {
  try {
    for (const storage of [sessionStorage, localStorage])
      storage.setItem(storageKey(login), JSON.stringify(draft));
  } catch {
    // Full, or not allowed: the draft lives as long as the page.
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

/** Whether the address says which query or version is meant. */
export const isAddressed = (): boolean =>
  new URLSearchParams(location.search).has('version') || queryInHash() !== undefined;

/** Without this a reload would bring the linked query back. */
function removeQueryFromAddress(): void {
  const search = new URLSearchParams(location.search);
  if (location.hash === '' && !search.has('record')) return;
  search.delete('record');
  history.replaceState(null, '', search.size === 0 ? location.pathname : `${location.pathname}?${search}`);
}

/** Queries on one line are formatted; queries that somebody laid out stay as they are. */
function readable(given: string): string {
  const text = given.replace(/\r\n?/g, '\n');
  return text.trim().includes('\n') ? text : formatQuery(text);
}

/** Opens the query of the address, now and whenever a link changes the part behind #. Rejects with a sentence. */
export async function openLinkedQuery(
  namespace: string,
  open: (text: string, version?: string) => void,
): Promise<void> {
  const openHash = () => {
    const text = queryInHash();
    if (text !== undefined) open(readable(text));
    return text !== undefined;
  };
  window.addEventListener('hashchange', openHash);
  const id = new URLSearchParams(location.search).get('record');
  if (openHash() || id === null) return;
  const { body, version } = await fetchRest(pagesRoute(namespace, 'query-record', { id }));
  open(readable(textOf(body)), textOf(version));
}

export interface Draft {
  /** A link brought this text. */
  opened(text: string): void;
  /** The text was changed; `then` follows once nobody has typed for a moment. */
  changed(then: () => void): void;
}

/** Saves `current()` after changes, and when the page is left. */
export function keepDraft(login: string, current: () => Question): Draft {
  let linked: string | undefined;
  let isChanged = false;
  let timer: number | undefined;
  const save = () => {
    if (linked === undefined && isChanged) saveDraft(login, current());
  };
  window.addEventListener('pagehide', save);
  return {
    opened(text) {
      save();
      isChanged = false;
      linked = text;
    },
    changed(then) {
      isChanged = true;
      if (linked !== undefined && linked !== current().text) {
        linked = undefined;
        removeQueryFromAddress();
      }
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        save();
        then();
      }, SAVE_AFTER_MS);
    },
  };
}
