// The list of notes below the chart, which also works on phones and with screen readers, and the dialogs for changing notes.
import { type DashboardHead, MAX_NOTE_LENGTH, type Note } from '../../shared-types/dashboard-types';
import { dayInWords } from '../shared/dates-in-words';
import { openQuestion } from '../shared/dialog';
import { button, byId, element, labeled, replaceKeepingFocus } from '../shared/elements';
import { fetchRest } from '../shared/rest';
import { noteInWords } from './placed-notes';

/** `route`: null for users who may not change notes. `reload` is called after every attempted change. */
export function openNotes(route: string | null, reload: () => void) {
  const list = byId('notes', HTMLDetailsElement);
  const summary = byId('notes-summary', HTMLElement);
  const items = byId('notes-list', HTMLElement);
  const add = document.getElementById('note-add');
  let head: DashboardHead | undefined;

  function openForm(
    title: string,
    initial: Pick<Note, 'day' | 'text'>,
    save: (body: object) => Promise<unknown>,
  ) {
    const day = element('input', [], '', { id: 'note-day', type: 'date', required: '' });
    day.value = initial.day;
    const text = element('input', [], '', { id: 'note-text', required: '', maxlength: MAX_NOTE_LENGTH });
    text.value = initial.text;
    const about = 'Everyone who can log in and see this site sees the note. Shared links do not show it.';
    openDialog(
      title,
      [labeled('Day', day), labeled('Note', text), element('p', about, 'small muted')],
      element('button', 'Save'),
      () => save({ day: day.value, text: text.value }),
    );
    text.focus();
  }
  /** Reloads the notes even if `act` fails, since another user may have changed them. */
  function openDialog(...[title, children, confirmButton, act]: Parameters<typeof openQuestion>): void {
    const dialog = openQuestion(title, children, confirmButton, () => act().finally(reload));
    dialog.addEventListener('close', () => (list.hidden ? add : summary)?.focus());
  }
  function edit(note: Note): void {
    openForm('Edit the note', note, (body) =>
      fetchRest(`${route}/${note.id}`, { body: JSON.stringify({ ...body, revision: note.revision }) }),
    );
  }
  function remove(note: Note): void {
    const address = `${route}/${note.id}?revision=${note.revision}`;
    const confirmButton = element('button', 'Delete the note', 'danger');
    openDialog('Delete this note?', [element('p', noteInWords(note))], confirmButton, () =>
      fetchRest(address, { method: 'DELETE' }),
    );
  }
  function itemOf(note: Note): HTMLElement {
    const day = dayInWords(note.day);
    const change = [
      button('Edit', 'plain small', () => edit(note), {
        'aria-label': `Edit the note for ${day}`,
        'data-key': `edit ${note.id}`,
      }),
      button('Delete', 'plain small', () => remove(note), {
        'aria-label': `Delete the note for ${day}`,
        'data-key': `delete ${note.id}`,
      }),
    ];
    const words = [element('strong', day), ' ', element('bdi', note.text)];
    return element('li', [...words, ...(route === null ? [] : change)], '', {
      'data-note': note.id,
      tabindex: -1,
    });
  }

  add?.addEventListener('click', () => {
    if (head === undefined) return;
    const { site, range } = head;
    openForm('Add a note', { day: range.last, text: '' }, (body) =>
      fetchRest(route ?? '', { body: JSON.stringify({ tracking_id: site.trackingId, ...body }) }),
    );
  });
  return {
    show(shown: DashboardHead): void {
      head = shown;
      const { notes = [] } = shown;
      list.hidden = notes.length === 0;
      summary.textContent = notes.length === 1 ? '1 note' : `${notes.length} notes`;
      replaceKeepingFocus(items, notes.map(itemOf));
      if (list.hidden && list.contains(document.activeElement)) (add ?? byId('by', HTMLElement)).focus();
    },
    /** Opens the list at a note. */
    open({ id }: Note): void {
      list.open = true;
      items.querySelector<HTMLElement>(`[data-note="${id}"]`)?.focus();
    },
  };
}
