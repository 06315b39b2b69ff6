// The box with the errors of a query.

import type { QueryEdit } from '../../shared-types/query-check';
import { button, element } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import type { RestError } from '../shared/rest-answer';
import { placeOf, repairOf } from './query-faults';
import type { TextRange } from './query-text';

interface FaultActions {
  /** The text that the positions refer to. */
  readonly text: string;
  onRepair(edits: readonly QueryEdit[]): void;
  goTo(place: TextRange): void;
}

/** The editor marks all faults. */
const MAX_LISTED = 10;

export function showFaults(box: HTMLElement, faults: readonly RestError[], actions: FaultActions): void {
  const items = faults
    .slice(0, MAX_LISTED)
    .map((fault) => element('div', faultNodes(fault, actions), 'one-fault'));
  const which = faults.length > MAX_LISTED ? ` (the first ${MAX_LISTED} are listed)` : '';
  const many = faults.length > 1 ? [element('p', `${faults.length} errors in this query${which}:`)] : [];
  const certain = faults.flatMap(({ repair }) => (repair?.certain === true ? [repair.edits] : []));
  const all =
    certain.length < 2
      ? []
      : [button(`Apply ${certain.length} fixes`, '', () => actions.onRepair(certain.flat()))];
  box.replaceChildren(...many, ...items, ...all);
  box.hidden = false;
}

function faultNodes(fault: RestError, { text, onRepair, goTo }: FaultActions): readonly HTMLElement[] {
  const { code, at } = fault;
  const place = placeOf(text, fault);
  const repair = repairOf(fault);
  const head = [
    ...(code === '' ? [] : [element('strong', code)]),
    ...(at === undefined ? [] : [' at ', element('code', at)]),
  ];
  const buttons = [
    ...(repair === undefined ? [] : [button(repair.name, '', () => onRepair(repair.edits))]),
    ...(place === undefined ? [] : [button('Show in editor', 'quiet', () => goTo(place))]),
  ];
  return [
    ...(head.length === 0 ? [] : [element('p', head)]),
    element('p', sentenceOf(fault)),
    ...(buttons.length === 0 ? [] : [element('div', buttons, 'actions')]),
  ];
}
