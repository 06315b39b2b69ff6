// Saved segments: sets of filters with a name, chosen from the filter bar.
import type { AskedFilter, DashboardInfo } from '../../shared-types/dashboard-types';
import type { Segment } from '../../shared-types/saved-types';
import { createDialog } from '../shared/dialog';
import { button, byId, element, replaceKeepingFocus } from '../shared/elements';
import { placeBelow } from '../shared/place-below';
import { fetchRest } from '../shared/rest';
import type { View } from './address';

/** Equal for the same filters in any order. */
const keyOf = (filters: readonly AskedFilter[]): string =>
  JSON.stringify(
    filters
      .map(({ dimension, op, not, values }) => [dimension, op ?? '', not, values.map(String).toSorted()])
      .map((one) => JSON.stringify(one))
      .toSorted(),
  );

const isList = (value: unknown): value is readonly Segment[] => Array.isArray(value);

const LONGEST_NAME = 100;

export function openSegments(
  { segments: route, playground }: NonNullable<DashboardInfo['own']>,
  current: () => View,
  go: (view: View) => void,
): void {
  /** Users who may only view dashboards cannot share theirs. */
  const canShare = playground !== null;
  const opener = byId('segments-open', HTMLButtonElement);
  const panel = byId('segments', HTMLElement);
  const list = byId('segments-list', HTMLElement);
  const save = byId('segments-save', HTMLButtonElement);
  const status = byId('segments-status', HTMLElement);
  const one = ({ id }: Segment) => `${route}/${id}`;

  async function load(): Promise<void> {
    const { site } = current();
    try {
      const { segments } = await fetchRest(`${route}?${new URLSearchParams({ tracking_id: site })}`);
      show(isList(segments) ? segments : []);
    } catch (error) {
      tell(error);
    }
  }
  function tell(error: unknown): void {
    status.textContent = error instanceof Error ? error.message : '';
  }
  function show(segments: readonly Segment[]): void {
    const { filters } = current();
    save.disabled = filters.length === 0;
    const chosen = keyOf(filters);
    const items = segments.map((segment) => {
      const { id, name, filters: own, shared, isOwn, owner, mayChange } = segment;
      const choose = button(name, 'plain', () => apply(own), {
        'aria-pressed': String(keyOf(own) === chosen),
        'data-key': `choose ${id}`,
      });
      const about = isOwn ? (shared ? 'shared' : '') : `by ${owner}`;
      const change = [
        button('Edit', 'plain small', () => edit(segment), {
          'aria-label': `Edit the segment ${name}`,
          'data-key': `edit ${id}`,
        }),
        button('Delete', 'plain small', () => remove(segment), {
          'aria-label': `Delete the segment ${name}`,
        }),
      ];
      return element('li', [
        choose,
        ...(about === '' ? [] : [' ', element('span', about, 'small muted')]),
        ...(mayChange ? change : []),
      ]);
    });
    replaceKeepingFocus(
      list,
      items.length === 0 ? [element('li', 'This site has no segments yet.', 'muted')] : items,
    );
    placeBelow(opener, panel);
  }
  function apply(filters: readonly AskedFilter[]): void {
    panel.hidePopover();
    go({ ...current(), filters });
  }

  interface Fields {
    readonly name: string;
    readonly shared: boolean;
  }
  function openForm(
    title: string,
    begun: Fields,
    more: readonly HTMLElement[],
    send: (fields: Fields) => Promise<unknown>,
  ): void {
    panel.hidePopover();
    const { dialog, close, fail } = createDialog(title, 'segment-dialog', 'Cancel');
    const name = element('input', [], '', { id: 'segment-name', required: '', maxlength: LONGEST_NAME });
    name.value = begun.name;
    const shared = element('input', [], '', { type: 'checkbox' });
    shared.checked = begun.shared;
    const form = element('form', [
      element('div', [element('label', 'Name', '', { for: 'segment-name' }), name], 'field'),
      ...(canShare ? [element('label', [shared, ' Share with everyone who sees the site'], 'check')] : []),
      ...more,
      element('p', [element('button', 'Save'), ' ', close], 'actions'),
    ]);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      send({ name: name.value, shared: shared.checked }).then(() => dialog.close(), fail);
    });
    dialog.append(form);
    dialog.addEventListener('close', () => opener.focus());
    dialog.showModal();
    name.focus();
  }
  function edit(segment: Segment): void {
    const { filters } = current();
    const replace = element('input', [], '', { type: 'checkbox' });
    const canReplace = filters.length > 0 && keyOf(filters) !== keyOf(segment.filters);
    const label = element('label', [replace, ' Replace its filters with the current ones'], 'check');
    openForm(`Segment ${segment.name}`, segment, canReplace ? [label] : [], (fields) => {
      const body = { ...fields, ...(replace.checked && { filters }), revision: segment.revision };
      return fetchRest(one(segment), { body: JSON.stringify(body) });
    });
  }
  function remove(segment: Segment): void {
    panel.hidePopover();
    const { dialog, close, fail } = createDialog(
      `Delete the segment ${segment.name}?`,
      'segment-dialog',
      'Cancel',
    );
    const sure = button('Delete the segment', 'danger', () => {
      const address = `${one(segment)}?revision=${segment.revision}`;
      fetchRest(address, { method: 'DELETE' }).then(() => dialog.close(), fail);
    });
    const whose = segment.shared ? 'This deletes it for everyone who sees the site.' : 'No data is deleted.';
    dialog.append(element('p', whose), element('p', [sure, ' ', close], 'actions'));
    dialog.addEventListener('close', () => opener.focus());
    dialog.showModal();
  }

  save.addEventListener('click', () => {
    const { site, filters } = current();
    openForm('Save these filters as a segment', { name: '', shared: false }, [], (fields) =>
      fetchRest(route, { body: JSON.stringify({ tracking_id: site, filters, ...fields }) }),
    );
  });
  panel.addEventListener('toggle', () => {
    const isOpen = panel.matches(':popover-open');
    opener.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return;
    status.textContent = '';
    save.disabled = current().filters.length === 0;
    placeBelow(opener, panel);
    void load();
  });
}
