// Tells an error beside the editor: its code, place, message and what to do, with buttons for what can be done here.
import { refusalLink } from '../data/refusal-link';
import { button, element } from './elements';
import { type ServerError, serverFault } from './faults';
import { type RepairedText, repairedText } from './repaired-text';
import type { TextRange } from './text-places';

export interface FaultActions {
  repair(repaired: RepairedText): void;
  goTo(range: TextRange): void;
}

/** Shows an error of the query in this text; undefined hides the box. */
export function showFault(
  box: HTMLElement,
  error: ServerError | undefined,
  text: string,
  actions: FaultActions,
): void {
  box.hidden = error === undefined;
  box.replaceChildren();
  if (error === undefined) return;
  const { code, at, message, hint } = error;
  const head = element('p');
  if (code !== '') head.append(element('strong', code));
  if (at !== undefined) head.append(' at ', element('code', at));
  const sentence = element('p', message);
  const [link] = refusalLink(error);
  if (link !== undefined) sentence.append(' ', link, '.');
  if (head.hasChildNodes()) box.append(head);
  box.append(sentence);
  if (hint !== undefined) box.append(element('p', hint));
  const repaired = repairedText(text, error);
  const fault = serverFault(text, error);
  const row = element('div', '', 'actions');
  if (repaired !== undefined) row.append(button('Apply the repair', '', () => actions.repair(repaired)));
  if (fault !== null) row.append(button('Go to the place', 'quiet', () => actions.goTo(fault)));
  if (row.hasChildNodes()) box.append(row);
}
