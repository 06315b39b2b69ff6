import type {
  CardInfo,
  DashboardHead,
  PartAnswer,
  RequestedPart,
  TabInfo,
} from '../../shared-types/dashboard-types';
import { missingInWords, rangeInWords } from '../shared/dates-in-words';
import type { View } from './address';
import { changeOf, withUnit } from './in-words';
import { daysIn } from './month-grid';

/** A card's number, from the answer for its figure; undefined until the answer arrives. */
function numberOf(card: CardInfo, answer: PartAnswer | undefined): number | null | undefined {
  if (answer?.rows === undefined) return undefined;
  const value = answer.rows[0]?.[answer.columns?.indexOf(card.column) ?? -1];
  return typeof value === 'number' ? value : null;
}

const ARROWS = { up: '↑', down: '↓', same: '→' } as const;
const WORDS = { up: 'up', down: 'down', same: 'unchanged' } as const;

interface CardNumbers {
  readonly now: PartAnswer | undefined;
  readonly before: PartAnswer | undefined;
  /** The earlier range in words, with the preposition `in`; null without a comparison. */
  readonly earlier: string | null;
  readonly incomparable: string | undefined;
  /** Whether both ranges have the same number of days. */
  readonly isSameLength: boolean;
}

function showCard(
  element: HTMLElement,
  card: CardInfo,
  { now, before, earlier, incomparable, isSameLength }: CardNumbers,
): void {
  const value = numberOf(card, now);
  const was = numberOf(card, before);
  const figure = element.querySelector('.figure');
  const change = element.querySelector<HTMLElement>('.card-change');
  if (figure === null || change === null) return;
  if (now?.error !== undefined) figure.textContent = '–';
  else if (value !== undefined) figure.textContent = withUnit(value, card.unit);
  element.title = now?.error?.message ?? card.about;
  if (value === undefined || earlier === null) {
    change.replaceChildren();
    return;
  }
  if (incomparable !== undefined) {
    setChange(change, 'not comparable', incomparable);
    return;
  }
  if (was === undefined) return;
  const found = changeOf(value, was);
  if (found === undefined) {
    setChange(change, was === 0 && value !== null && value > 0 ? 'no earlier data' : '');
    return;
  }
  const { direction, text } = found;
  const isFair = isSameLength || card.unit !== 'count';
  const isBetter = direction === 'same' || !isFair ? null : (direction === 'up') !== card.lessIsBetter;
  const from = `${withUnit(was, card.unit)} ${earlier}`;
  setChange(change, `${ARROWS[direction]} ${text}`, from, `${WORDS[direction]} ${text} from ${from}`);
  if (isBetter !== null) change.classList.add(isBetter ? 'better' : 'worse');
}

interface CardPlace {
  readonly card: CardInfo;
  readonly place: HTMLElement;
}

export function showCards(
  cards: readonly CardPlace[],
  chosen: CardInfo | undefined,
  head: DashboardHead,
  answers: ReadonlyMap<string, PartAnswer>,
): void {
  const earlier = head.before === null ? null : `in ${rangeInWords(head.before)}`;
  const incomparable = missingInWords(head);
  const isSameLength = head.before !== null && daysIn(head.before) === daysIn(head.range);
  for (const { card, place } of cards) {
    const id = `total ${card.figure}`;
    const now = answers.get(id);
    const before = answers.get(`${id} before`);
    showCard(place, card, { now, before, earlier, incomparable, isSameLength });
    place.setAttribute('aria-pressed', String(card === chosen));
  }
}

function setChange(
  change: HTMLElement,
  text: string,
  title = '',
  spoken = title && `${text}: ${title}`,
): void {
  change.textContent = text;
  change.className = 'card-change';
  change.title = title;
  if (spoken === '') change.removeAttribute('aria-label');
  else change.setAttribute('aria-label', spoken);
}

/** More rows than there are countries, since the map draws all of them. */
const ALL_COUNTRIES = 300;

/** The part whose answer a tab shows. Goals are columns of a figure. */
export const partIdOf = ({ id, kind }: TabInfo): string => (kind === 'goals' ? 'total entries' : id);

/** The part that fills a tab with up to `rows` rows; undefined if a figure fills it. */
export function partOf(tab: TabInfo, rows: number): RequestedPart | undefined {
  if (tab.kind === 'goals') return undefined;
  return { id: tab.id, limit: tab.kind === 'map' ? ALL_COUNTRIES : rows };
}

export const comparedParts = (id: string, { compare }: View): readonly RequestedPart[] =>
  compare === 'none' ? [{ id }] : [{ id }, { id: `${id} before` }];

interface Totals {
  readonly view: View;
  readonly cards: readonly CardInfo[];
  readonly answers: ReadonlyMap<string, PartAnswer>;
}

/** The total for the shares in a tab's rows; null if the tab shows no shares, or if the total has not arrived. */
export function wholeOf(tab: TabInfo, { view, cards, answers }: Totals): number | null {
  const card = cards.find(({ column }) => column === tab.shareOf);
  // A filter by the tab's own dimension does not apply to the tab's rows, so the rows are not parts of the filtered total.
  const isFiltered = view.filters.some(
    ({ dimension, op, not }) => dimension === tab.dimension && !not && op === undefined,
  );
  if (card === undefined || isFiltered) return null;
  return numberOf(card, answers.get(`total ${card.figure}`)) ?? null;
}
