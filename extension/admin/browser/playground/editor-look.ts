// How the editor looks: the colours of the page, and the parts of JSON told apart.
// Its styles carry the nonce of the page; every colour is a custom property, so that the dark theme needs nothing more.
import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.5',
    minHeight: '24rem',
    maxHeight: '65vh',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-gutters': {
    color: 'var(--quiet)',
    backgroundColor: 'var(--sunken)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-soft)',
    outline: '1px solid var(--accent)',
  },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--edge)',
    maxWidth: 'min(32rem, 92vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxWidth: 'min(32rem, 92vw)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionInfo': { padding: '0.3rem 0.6rem', maxWidth: '20rem' },
  // In a narrow window it would cover the list.
  '@media (max-width: 40rem)': { '.cm-tooltip .cm-completionInfo': { display: 'none' } },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '0.2em',
  },
  '.qal-key': { color: 'var(--series-6)' },
  '.qal-text': { color: 'var(--series-5)' },
  '.qal-word': { color: 'var(--series-2)' },
});

const CLASSES: Readonly<Record<string, Decoration>> = {
  PropertyName: Decoration.mark({ class: 'qal-key' }),
  String: Decoration.mark({ class: 'qal-text' }),
  Number: Decoration.mark({ class: 'qal-word' }),
  True: Decoration.mark({ class: 'qal-word' }),
  False: Decoration.mark({ class: 'qal-word' }),
  Null: Decoration.mark({ class: 'qal-word' }),
};

function colours(view: EditorView): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      from,
      to,
      enter(node) {
        const mark = CLASSES[node.name];
        if (mark !== undefined && node.to > node.from) marks.add(node.from, node.to, mark);
      },
    });
  }
  return marks.finish();
}

const partsOfJson = ViewPlugin.define(
  (view) => ({
    marks: colours(view),
    update(update: ViewUpdate) {
      const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
      if (update.docChanged || update.viewportChanged || isParsed) this.marks = colours(update.view);
    },
  }),
  { decorations: ({ marks }) => marks },
);

export const editorLook = (nonce: string): Extension => [EditorView.cspNonce.of(nonce), theme, partsOfJson];
