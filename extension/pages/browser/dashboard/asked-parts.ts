// Which parts are asked for what is shown. Nothing here touches the page.

import type { AskedPart, CardInfo, PartAnswer, TabInfo } from '../../shared-types/dashboard-types';
import type { View } from './address';
import { numberOf } from './cards';

/** The map draws them all. */
const ALL_COUNTRIES = 300;

/** The part that fills a tab with up to `rows` rows; undefined where a figure fills it. */
export function partOf(tab: TabInfo, rows: number): AskedPart | undefined {
  if (tab.kind === 'goals') return undefined;
  return { id: tab.id, limit: tab.kind === 'map' ? ALL_COUNTRIES : rows };
}

/** A part, and what it is compared with. */
export const comparedParts = (id: string, { compare }: View): readonly AskedPart[] =>
  compare === 'none' ? [{ id }] : [{ id }, { id: `${id} before` }];

interface Totals {
  readonly view: View;
  readonly cards: readonly CardInfo[];
  readonly answers: ReadonlyMap<string, PartAnswer>;
}

/** The number that the rows of a tab are shares of; null where they are not, or it has not come. */
export function wholeOf(tab: TabInfo, { view, cards, answers }: Totals): number | null {
  const card = cards.find(({ column }) => column === tab.shareOf);
  // The rows of a list are not parts of the whole that a filter of the same kind leaves.
  const isFiltered = view.filters.some(({ dimension, not }) => dimension === tab.dimension && !not);
  if (card === undefined || isFiltered) return null;
  return numberOf(card, answers.get(`total ${card.figure}`)) ?? null;
}
