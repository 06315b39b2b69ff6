// A page opened by a link: the key is in the hash.

import { useLinkKey } from '../shared/rest';
import { showEnd } from './show-frame';

/** False if the link has no key; the page then says so. */
export function openLink(root: HTMLElement): boolean {
  const key = location.hash.slice(1);
  if (key === '') {
    const message = 'The part after the # is missing. Copy the complete link, or ask for it again.';
    showEnd(root, 'This link is incomplete', message);
    return false;
  }
  useLinkKey(key);
  return true;
}
