// Keeps the query in this browser, for each login alone, and finds the one that a link brought in the address.
// A tab has its own; a new tab begins with the one that was kept last in any of them.
// A browser that keeps nothing (private windows) is no fault: the query then lives as long as the page.

export interface KeptQuery {
  readonly text: string;
  readonly version: string;
}

const keyOf = (login: string): string => `qal-playground:${login}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What this tab kept, or else any. */
export function readKept(login: string): KeptQuery | undefined {
  try {
    const text = sessionStorage.getItem(keyOf(login)) ?? localStorage.getItem(keyOf(login));
    const kept: unknown = JSON.parse(text ?? 'null');
    if (typeof kept !== 'object' || kept === null) return undefined;
    return {
      text: 'text' in kept ? textOf(kept.text) : '',
      version: 'version' in kept ? textOf(kept.version) : '',
    };
  } catch {
    return undefined;
  }
}

export function keep(login: string, query: KeptQuery): void {
  try {
    for (const storage of [sessionStorage, localStorage])
      storage.setItem(keyOf(login), JSON.stringify(query));
  } catch {
    // Full, or not allowed here.
  }
}

/** The query behind the # of the address; undefined when there is none. */
export function queryInAddress(): string | undefined {
  if (location.hash.length < 2) return undefined;
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return undefined;
  }
}

/** The number of the recorded query that the address names. */
export const recordInAddress = (): string | undefined =>
  new URLSearchParams(location.search).get('record') ?? undefined;

/** Takes the query of a link out of the address, so that loading the page anew does not bring it back. */
export function forgetAddress(): void {
  const search = new URLSearchParams(location.search);
  if (location.hash === '' && !search.has('record')) return;
  search.delete('record');
  history.replaceState(null, '', search.size === 0 ? location.pathname : `${location.pathname}?${search}`);
}
