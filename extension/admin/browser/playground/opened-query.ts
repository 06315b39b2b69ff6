// The query that the page opens with: that of a link, that of a record, or the draft that this browser kept.
// What stands behind the # comes at once, also later on the page itself; a record has to be fetched.

import { queryInAddress, readKept, recordInAddress } from './kept-query';
import { laidOut } from './laid-out';
import { recordedQuery } from './recorded-query';

export interface Opening {
  readonly namespace: string;
  readonly version: HTMLSelectElement;
  /** Puts the query of a link into the editor. */
  put(text: string): void;
  say(sentence: string): void;
}

/** A query on one line is laid out; one that somebody laid out stays as it is. */
function readable(given: string): string {
  const text = given.replace(/\r\n?/g, '\n');
  return text.trim().includes('\n') ? text : laidOut(text);
}

function choose({ options }: HTMLSelectElement, version: string): void {
  const option = [...options].find(({ value }) => value === version);
  if (option !== undefined) option.selected = true;
}

/** The draft, under the contract that it was written for unless the address asks for one. */
export function keptDraft(login: string, version: HTMLSelectElement): string {
  const kept = readKept(login);
  const isAsked = new URLSearchParams(location.search).has('version') || queryInAddress() !== undefined;
  if (!isAsked) choose(version, kept?.version ?? '');
  return kept?.text ?? '';
}

/** Puts in what the address leads to, and what links on the page lead to from then on. */
export async function openLinked({ namespace, version, put, say }: Opening): Promise<void> {
  const openHash = () => {
    const text = queryInAddress();
    if (text !== undefined) put(readable(text));
    return text !== undefined;
  };
  window.addEventListener('hashchange', openHash);
  const id = recordInAddress();
  if (openHash() || id === undefined) return;
  try {
    const record = await recordedQuery(namespace, id);
    choose(version, record.version);
    put(readable(record.text));
  } catch (failure) {
    say(failure instanceof Error ? failure.message : '');
  }
}
