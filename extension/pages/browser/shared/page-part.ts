import { UNREACHABLE } from './rest-answer';

const MISSING = 'You are no longer logged in, or this page is too old. Reload it.';

/** Fetches a page and returns its element with this id. Otherwise throws an Error with a message for the user. */
export async function fetchPart(id: string, address: string, request?: RequestInit): Promise<HTMLElement> {
  const response = await fetch(address, request).catch(() => undefined);
  if (response === undefined) throw new Error(UNREACHABLE);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const part = page.getElementById(id);
  if (part === null) throw new Error(page.querySelector('main .fault')?.textContent ?? MISSING);
  return part;
}
