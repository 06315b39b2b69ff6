// Colors are custom properties of the page, so dark mode needs no code.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
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
  // In a narrow window, the info box would cover the list.
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

/** The page's content security policy accepts only styles with its nonce. */
export const editorTheme = (nonce: string): Extension => [
  EditorView.cspNonce.of(nonce),
  theme,
  syntaxHighlighting(json),
];

/** In spaces. More deeply indented lines wrap at this depth. */
const MAX_INDENT = 24;
/** CodeMirror's padding before a line. */
const LINE_START = '6px';

const classOf = (spaces: number): string => `cm-indent-${spaces}`;
const DEPTHS = Array.from({ length: MAX_INDENT }, (_unused, at) => at + 1);
const MARKS = new Map(DEPTHS.map((spaces) => [spaces, Decoration.line({ class: classOf(spaces) })]));

const indents = EditorView.theme(
  Object.fromEntries(
    DEPTHS.map((spaces) => [
      `.cm-line.${classOf(spaces)}`,
      { paddingLeft: `calc(${LINE_START} + ${spaces}ch)`, textIndent: `-${spaces}ch` },
    ]),
  ),
);

function marksOf({ state, visibleRanges }: EditorView): DecorationSet {
  const marks = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges)
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const spaces = Math.min(MAX_INDENT, line.text.length - line.text.trimStart().length);
      const mark = MARKS.get(spaces);
      if (mark !== undefined) marks.add(line.from, line.from, mark);
      at = line.to + 1;
    }
  return marks.finish();
}

class IndentMarks {
  marks: DecorationSet;
  constructor(view: EditorView) {
    this.marks = marksOf(view);
  }
  update({ docChanged, viewportChanged, view }: ViewUpdate): void {
    if (docChanged || viewportChanged) this.marks = marksOf(view);
  }
}

export const hangingIndent: Extension = [
  indents,
  EditorView.lineWrapping,
  ViewPlugin.fromClass(IndentMarks, { decorations: ({ marks }) => marks }),
];
