// The link of a refusal as an element: what a person can do about it.
import type { Refusal } from './refusal';

/** Nothing where there is no link. */
export function refusalLink({
  link,
}: {
  readonly link?: Refusal['link'] | undefined;
}): readonly HTMLAnchorElement[] {
  if (link === undefined) return [];
  const made = document.createElement('a');
  made.href = link.address;
  made.textContent = link.text;
  return [made];
}
