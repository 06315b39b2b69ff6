import type { SavedQuery } from '../../shared-types/saved-types';
import { byId } from '../shared/elements';
import type { Editor, Origin } from './editor';
import { askName, type Naming, showSavedQueries } from './saved-dialogs';
import { type SavedText, savedQueries } from './saved-queries';

interface SavedBarParts {
  readonly namespace: string;
  editor(): Editor;
  say(sentence: string): void;
}

export const isAsSaved = ({ saved, version }: Origin, text: string): boolean =>
  saved !== undefined && saved.text === text && saved.version === version;

export function createSavedBar({ namespace, editor, say }: SavedBarParts) {
  const name = byId('saved-name', HTMLElement);
  const state = byId('saved-state', HTMLElement);
  const server = savedQueries(namespace);
  const textNow = () => ({ text: editor().text(), version: editor().origin().version });

  /** The open query was saved with this text. */
  function follow(query: SavedQuery, text: string): void {
    const { version } = editor().origin();
    editor().setOrigin({ version, saved: { ...query, text } });
  }

  const saveAs = ({ name, shared }: Naming) =>
    askName('Save as', { name, shared }, async (naming) => {
      const now = textNow();
      follow(await server.add({ ...now, ...naming }), now.text);
      say('Saved.');
    });

  async function saveChanges(saved: SavedText): Promise<void> {
    const now = textNow();
    follow(await server.change(saved, now), now.text);
    say('Saved.');
  }

  function save(): void {
    const { saved } = editor().origin();
    if (saved === undefined || !saved.mayChange) saveAs({ name: saved?.name ?? '', shared: false });
    else if (isAsSaved(editor().origin(), editor().text())) say('Nothing has changed since it was saved.');
    else saveChanges(saved).catch((error) => say(error instanceof Error ? error.message : ''));
  }

  const openList = () =>
    showSavedQueries({
      list: server.list,
      async open({ id }) {
        const saved = await server.open(String(id));
        editor().open(saved.text, { version: saved.version, saved });
        say('Press Ctrl-Z in the editor to restore the previous text.');
      },
      async rename(query, naming) {
        const renamed = await server.change(query, naming);
        const { saved } = editor().origin();
        if (saved?.id === query.id) follow(renamed, saved.text);
      },
      async remove(query) {
        await server.remove(query);
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
    fetch: server.open,
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
