import type { CardInfo, PartAnswer } from '../../shared-types/dashboard-types';
import { changeOf, withUnit } from './in-words';

/** The number of a card in the answer to its figure; undefined until it arrives. */
export function numberOf(card: CardInfo, answer: PartAnswer | undefined): number | null | undefined {
  if (answer?.rows === undefined) return undefined;
  const value = answer.rows[0]?.[answer.columns?.indexOf(card.column) ?? -1];
  return typeof value === 'number' ? value : null;
}

const ARROWS = { up: '↑', down: '↓', same: '→' } as const;
const WORDS = { up: 'up', down: 'down', same: 'unchanged' } as const;

interface CardNumbers {
  readonly now: PartAnswer | undefined;
  readonly before: PartAnswer | undefined;
  /** What the number is compared with; null without a comparison. */
  readonly than: string | null;
  readonly incomparable: string | undefined;
}

export function showCard(
  element: HTMLElement,
  card: CardInfo,
  { now, before, than, incomparable }: CardNumbers,
): void {
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
  if (incomparable !== undefined) {
    setChange(change, 'not comparable', incomparable);
    return;
  }
  if (was === undefined) return;
  const found = changeOf(value, was);
  if (found === undefined) {
    setChange(change, was === 0 && value !== null && value > 0 ? 'none before' : '');
    return;
  }
  const { direction, text } = found;
  const isBetter = direction === 'same' ? null : (direction === 'up') !== card.lessIsBetter;
  const from = `${withUnit(was, card.unit)} ${than}`;
  setChange(change, `${ARROWS[direction]} ${text}`, from, `${WORDS[direction]} ${text} from ${from}`);
  if (isBetter !== null) change.classList.add(isBetter ? 'better' : 'worse');
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
