// The dialog for adding a filter by hand, with one value per line.
import { type DashboardHead, PARAMETER, type RequestedFilter } from '../../shared-types/dashboard-types';
import { kindWithId } from '../../shared-types/filter-kinds';
import { byId } from '../shared/elements';
import { type View, withFilter } from './address';
import { typedParameter } from './event-parameter';

export function openFilterForm(current: () => View, go: (view: View) => void) {
  const dialog = byId('filter-dialog', HTMLDialogElement);
  const form = byId('filter-form', HTMLFormElement);
  const values = byId('field-values', HTMLTextAreaElement);
  let events: DashboardHead['events'] = {};
  byId('filter-add', HTMLButtonElement).addEventListener('click', () => dialog.showModal());
  byId('filter-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close());

  /** Returns the filter, or the reason why it is invalid. */
  function read(): RequestedFilter | string {
    const fields = new FormData(form);
    const text = (name: string) => String(fields.get(name) ?? '');
    const dimension = text('dimension');
    const { compared } = kindWithId(text('kind'));
    const lines = text('values')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    if (lines.length === 0) return 'Enter a value.';
    const filter = { dimension, ...compared, values: lines };
    if (dimension !== PARAMETER) return filter;
    if (filter.op !== undefined) return 'Event parameters must match in full: choose “is” or “is not”.';
    const typed = lines.map((line) => typedParameter(line, events));
    const fault = typed.find((one) => 'fault' in one);
    return fault?.fault ?? { ...filter, values: typed.flatMap((one) => ('json' in one ? one.json : [])) };
  }
  form.addEventListener('input', () => values.setCustomValidity(''));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const filter = read();
    if (typeof filter === 'string') {
      values.setCustomValidity(filter);
      values.reportValidity();
      return;
    }
    dialog.close();
    form.reset();
    go({ ...current(), filters: withFilter(current().filters, filter) });
  });
  return {
    showHead(head: DashboardHead): void {
      events = head.events;
      values.setCustomValidity('');
    },
  };
}
