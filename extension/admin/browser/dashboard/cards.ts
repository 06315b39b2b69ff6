// The big numbers, of which one is drawn by the chart.
import type { CardInfo, PartAnswer } from './dashboard-types';
import { changeOf, withUnit } from './in-words';

/** The number of a card in the answer to its figure; undefined while there is none. */
export function numberOf(card: CardInfo, answer: PartAnswer | undefined): number | null | undefined {
  if (answer?.rows === undefined) return undefined;
  const value = answer.rows[0]?.[answer.columns?.indexOf(card.column) ?? -1];
  return typeof value === 'number' ? value : null;
}

const ARROWS = { up: '↑', down: '↓', same: '→' } as const;
const WORDS = { up: 'up', down: 'down', same: 'unchanged' } as const;

export interface CardNumbers {
  readonly now: PartAnswer | undefined;
  readonly before: PartAnswer | undefined;
  /** What the change is from, in words. */
  readonly than: string | null;
}

export function showCard(element: HTMLElement, card: CardInfo, { now, before, than }: CardNumbers): void {
  const value = numberOf(card, now);
  const was = numberOf(card, before);
  const figure = element.querySelector('.figure');
  const change = element.querySelector<HTMLElement>('.card-change');
  if (figure === null || change === null) return;
  if (now?.error !== undefined) figure.textContent = '–';
  else if (value !== undefined) figure.textContent = withUnit(value, card.unit);
  element.title = now?.error?.message ?? card.about;
  if (value === undefined || than === null) {
    change.replaceChildren();
    return;
  }
  if (was === undefined) return;
  const found = changeOf(value, was);
  if (found === undefined) {
    change.textContent = was === 0 && value !== null && value > 0 ? 'none before' : '';
    change.className = 'card-change';
    return;
  }
  const { direction, text } = found;
  const isBetter = direction === 'same' ? null : (direction === 'up') !== card.lessIsBetter;
  change.textContent = `${ARROWS[direction]} ${text}`;
  change.className = `card-change${isBetter === null ? '' : isBetter ? ' better' : ' worse'}`;
  change.setAttribute('aria-label', `${WORDS[direction]} ${text} from ${withUnit(was, card.unit)} ${than}`);
  change.title = `${withUnit(was, card.unit)} ${than}`;
}
