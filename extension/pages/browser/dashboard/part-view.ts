// Failures, filters that do not apply, and query links: everything that pages show about a part besides its numbers.
import { BEYOND_LINK, type PartAnswer, type SiteInfo } from '../../shared-types/dashboard-types';
import { button, element } from '../shared/elements';
import { sentenceOf } from '../shared/rest';

type Failure = NonNullable<PartAnswer['error']>;
type Own = SiteInfo['own'];

/** Whether the part was left out on purpose: its feature is switched off, or a link's segment cannot be applied to it. */
export const isOff = ({ code }: Pick<Failure, 'code'>): boolean =>
  code === 'E_FEATURE_DISABLED' || code === BEYOND_LINK;

/** Administrators see a link to the switch. */
function offWords({ code, message, feature }: Failure, own: Own): readonly (string | Node)[] {
  if (code === BEYOND_LINK) return [message];
  const name = feature === undefined ? 'a feature' : element('code', feature);
  const page = own?.features ?? null;
  if (page === null)
    return [
      'This needs ',
      name,
      ', which is switched off on this server. An administrator can switch it on.',
    ];
  const link = element('a', 'Switch it on under Features', '', { href: page });
  return ['This needs ', name, ', which is switched off. ', link, '.'];
}

/** Shown in place of the numbers. `again` repeats the request. */
export const failureNodes = (error: Failure, own: Own, again: () => void): readonly HTMLElement[] =>
  isOff(error)
    ? [element('p', offWords(error, own), 'panel-empty')]
    : [element('p', sentenceOf(error), 'fault'), button('Try again', 'quiet', again)];

/** Names the filters that do not apply; empty if all of them do. */
export const unfilteredWords = ({ unfiltered }: PartAnswer): readonly string[] =>
  unfiltered.length === 0 ? [] : [`Not filtered by ${unfiltered.join(', ')}`];

/** A link for users who may run queries. `title` names the part for screen readers. */
export function queryLink({ query }: PartAnswer, own: Own, title?: string): readonly HTMLElement[] {
  const playground = own?.playground ?? null;
  if (playground === null) return [];
  const href = `${playground}?run#${encodeURIComponent(JSON.stringify(query, null, 2))}`;
  const label = title === undefined ? {} : { 'aria-label': `Open as query: ${title}` };
  return [element('a', 'Open as query', '', { href, ...label })];
}
