// Wrapped lines continue below their first character, so that the structure is visible in a narrow editor. Uses classes because
// the page's content policy refuses style attributes.
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/** In spaces; deeper lines wrap at this depth. */
const DEEPEST = 24;
/** CodeMirror's padding before a line. */
const LINE_START = '6px';

const classOf = (spaces: number): string => `cm-indent-${spaces}`;
const DEPTHS = Array.from({ length: DEEPEST }, (_unused, at) => at + 1);
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
      const spaces = Math.min(DEEPEST, line.text.length - line.text.trimStart().length);
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
