import type { AskedPart, CardInfo, PartAnswer, TabInfo } from '../../shared-types/dashboard-types';
import type { View } from './address';
import { numberOf } from './cards';

/** The map draws all of them. */
const ALL_COUNTRIES = 300;

/** The part that fills a tab with up to `rows` rows; undefined if a figure fills it. */
export function partOf(tab: TabInfo, rows: number): AskedPart | undefined {
  if (tab.kind === 'goals') return undefined;
  return { id: tab.id, limit: tab.kind === 'map' ? ALL_COUNTRIES : rows };
}

export const comparedParts = (id: string, { compare }: View): readonly AskedPart[] =>
  compare === 'none' ? [{ id }] : [{ id }, { id: `${id} before` }];

interface Totals {
  readonly view: View;
  readonly cards: readonly CardInfo[];
  readonly answers: ReadonlyMap<string, PartAnswer>;
}

/** The number that the rows of a tab are shares of; null if they are not shares, or it has not arrived. */
export function wholeOf(tab: TabInfo, { view, cards, answers }: Totals): number | null {
  const card = cards.find(({ column }) => column === tab.shareOf);
  // A filter by the tab's own dimension does not apply to its rows, so they are not parts of the filtered total.
  const isFiltered = view.filters.some(({ dimension, not }) => dimension === tab.dimension && !not);
  if (card === undefined || isFiltered) return null;
  return numberOf(card, answers.get(`total ${card.figure}`)) ?? null;
}
