import type { SavedQuery } from '../../shared-types/saved-types';
import type { Naming } from '../shared/dialog';
import { byId } from '../shared/elements';
import { messageOf } from '../shared/rest';
import type { Editor, Origin } from './editor';
import { askName, showSavedQueries } from './saved-dialogs';
import { addSaved, changeSaved, fetchSaved, removeSaved, type SavedText } from './saved-queries';

interface SavedBarParts {
  editor(): Editor;
  say(sentence: string): void;
}

export const isAsSaved = ({ saved, version }: Origin, text: string): boolean =>
  saved !== undefined && saved.text === text && saved.version === version;

export function createSavedBar({ editor, say }: SavedBarParts) {
  const name = byId('saved-name', HTMLElement);
  const state = byId('saved-state', HTMLElement);
  const textNow = () => ({ text: editor().text(), version: editor().origin().version });

  /** Records that the open query was saved with this text. */
  function markSaved(query: SavedQuery, text: string): void {
    const { version } = editor().origin();
    editor().setOrigin({ version, saved: { ...query, text } });
  }

  const saveAs = ({ name, shared }: Naming) =>
    askName('Save as', { name, shared }, async (naming) => {
      const now = textNow();
      markSaved(await addSaved({ ...now, ...naming }), now.text);
      say('Saved.');
    });

  async function saveChanges(saved: SavedText): Promise<void> {
    const now = textNow();
    const changed = await changeSaved(saved, now);
    // Another query may have been opened in the meantime.
    if (editor().origin().saved?.id === saved.id) markSaved(changed, now.text);
    say('Saved.');
  }

  function save(): void {
    const { saved } = editor().origin();
    if (saved === undefined || !saved.mayChange) saveAs({ name: saved?.name ?? '', shared: false });
    else if (isAsSaved(editor().origin(), editor().text())) say('There are no unsaved changes.');
    else saveChanges(saved).catch((error) => say(messageOf(error)));
  }

  const openList = () =>
    showSavedQueries({
      async open({ id }) {
        const saved = await fetchSaved(id);
        editor().open(saved.text, { version: saved.version, saved });
        say('Press Ctrl-Z in the editor to restore the previous text.');
      },
      async rename(query, naming) {
        const renamed = await changeSaved(query, naming);
        const { saved } = editor().origin();
        if (saved?.id === query.id) markSaved(renamed, saved.text);
      },
      async remove(query) {
        await removeSaved(query);
        const { saved, version } = editor().origin();
        if (saved?.id === query.id) editor().setOrigin({ version, saved: undefined });
      },
    });

  const onClick = (id: string, act: () => void) => byId(id, HTMLButtonElement).addEventListener('click', act);
  onClick('saved-open', openList);
  onClick('saved-save', save);
  onClick('saved-save-as', () => saveAs({ name: editor().origin().saved?.name ?? '', shared: false }));
  return {
    save,
    changed() {
      const { saved } = editor().origin();
      name.textContent = saved?.name ?? 'New query';
      const isShared = saved !== undefined && (saved.shared || !saved.isOwn);
      const sharing = !isShared ? '' : saved.isOwn ? 'Shared.' : `Shared by ${saved.owner}.`;
      const isChanged = saved !== undefined && !isAsSaved(editor().origin(), editor().text());
      state.textContent = `${isChanged ? 'Unsaved changes. ' : ''}${sharing}`;
    },
  };
}
