// Colors are custom properties of the page, so dark mode needs no code.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '0.875rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.5',
    minHeight: '24rem',
    maxHeight: '55vh',
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
  '.cm-diagnosticAction': { color: 'var(--on-accent)', backgroundColor: 'var(--accent)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '0.2em',
  },
});

const json = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--series-6)' },
  { tag: tags.string, color: 'var(--series-5)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
]);

/** The page's content policy accepts only styles with its nonce. */
export const editorTheme = (nonce: string): Extension => [
  EditorView.cspNonce.of(nonce),
  theme,
  syntaxHighlighting(json),
];
