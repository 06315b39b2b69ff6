// Saved segments: named sets of filters, chosen from the filter bar.
import type { RequestedFilter, SiteInfo } from '../../shared-types/dashboard-types';
import type { Segment } from '../../shared-types/saved-types';
import { type Naming, openNaming, openQuestion } from '../shared/dialog';
import { button, byId, checkbox, element, replaceKeepingFocus } from '../shared/elements';
import { placeBelow } from '../shared/place-below';
import { fetchRest, messageOf } from '../shared/rest';
import type { View } from './address';

/** A key that is the same for the same filters in any order. */
const keyOf = (filters: readonly RequestedFilter[]): string =>
  JSON.stringify(
    filters
      .map(({ dimension, op, not, values }) => [dimension, op ?? '', not, values.map(String).toSorted()])
      .map((one) => JSON.stringify(one))
      .toSorted(),
  );

const isList = (value: unknown): value is readonly Segment[] => Array.isArray(value);

export function openSegments(
  { segments: route, playground }: NonNullable<SiteInfo['own']>,
  current: () => View,
  go: (view: View) => void,
): void {
  /** Users who may only view dashboards cannot share their segments. */
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
      // Another site may have been chosen in the meantime.
      if (current().site === site) show(isList(segments) ? segments : []);
    } catch (error) {
      status.textContent = messageOf(error);
    }
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
  function apply(filters: readonly RequestedFilter[]): void {
    panel.hidePopover();
    go({ ...current(), filters });
  }

  function openForm(
    title: string,
    initial: Naming,
    more: readonly HTMLElement[],
    send: (naming: Naming) => Promise<unknown>,
  ): void {
    const share = canShare ? 'Share with everyone who can see the site' : undefined;
    panel.hidePopover();
    openNaming(title, initial, { share, more }, send).addEventListener('close', () => opener.focus());
  }
  function edit(segment: Segment): void {
    const { filters } = current();
    const { box, line } = checkbox('Replace its filters with the current ones', false);
    const canReplace = filters.length > 0 && keyOf(filters) !== keyOf(segment.filters);
    openForm(`Segment ${segment.name}`, segment, canReplace ? [line] : [], (fields) => {
      const body = { ...fields, ...(box.checked && { filters }), revision: segment.revision };
      return fetchRest(one(segment), { body: JSON.stringify(body) });
    });
  }
  function remove(segment: Segment): void {
    const effect = segment.shared
      ? 'This deletes it for everyone who can see the site.'
      : 'No data is deleted.';
    const confirmButton = element('button', 'Delete the segment', 'danger');
    panel.hidePopover();
    openQuestion(`Delete the segment ${segment.name}?`, [element('p', effect)], confirmButton, () =>
      fetchRest(`${one(segment)}?revision=${segment.revision}`, { method: 'DELETE' }),
    ).addEventListener('close', () => opener.focus());
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
