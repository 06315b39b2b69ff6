// The editor over the textarea: completion, marked faults, and the keys that run and leave.
// The textarea stays in the page, hidden, and carries the text; without script it would be the editor.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { Prec, StateEffect } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import type { Candidate, Completion } from './completion';
import { editorLook } from './editor-look';
import type { Fault } from './faults';
import { changedRange } from './repaired-text';
import type { TextRange } from './text-places';

export interface EditorParts {
  readonly textarea: HTMLTextAreaElement;
  /** Of the styles, from the page. */
  readonly nonce: string;
  complete(text: string, offset: number): Completion | null;
  faults(text: string): readonly Fault[];
  onChange(text: string): void;
  onRun(): void;
  /** Escape was pressed with nothing open that it would close. */
  onLeave(): void;
}

export interface Editor {
  text(): string;
  /** Replaces the text, as far as it differs; undoing brings it back. */
  setText(text: string): void;
  /** Looks for faults anew, after what is known of them has changed. */
  recheck(): void;
  /** Puts the cursor on a place and the focus into the editor. */
  goTo(range: TextRange): void;
}

/** Something besides the text has changed that faults follow from. */
const recheck = StateEffect.define<null>();

/** What is still the same word while it is typed on. */
const SAME_WORD = /^[\w.-]*$/;

function completionSource({ complete }: EditorParts) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const text = state.doc.toString();
    const found = complete(text, pos);
    if (found === null) return null;
    const isQuoted = text[found.from - 1] === '"' || text[found.from - 1] === '(';
    if (!explicit && !isQuoted && found.from === pos) return null;
    return {
      from: found.from,
      to: found.to,
      options: found.candidates.map(optionOf),
      validFor: SAME_WORD,
    };
  };
}

function optionOf({ label, detail, apply, caret }: Candidate, index: number) {
  return {
    label,
    // Of equal matches the first given stays the first.
    boost: -index / 1000,
    ...(detail === '' ? {} : { info: detail }),
    apply(view: EditorView, completion: { readonly label: string }, from: number, to: number) {
      view.dispatch({
        changes: { from, to, insert: apply },
        selection: { anchor: from + (caret ?? apply.length) },
        userEvent: 'input.complete',
        annotations: pickedCompletion.of(completion),
        scrollIntoView: true,
      });
      // The cursor stands between quotes or brackets: what belongs there comes next.
      if (caret !== undefined) startCompletion(view);
    },
  };
}

/** Puts the editor in the place of the textarea. */
export function createEditor(parts: EditorParts): Editor {
  const { textarea } = parts;
  const run = () => {
    parts.onRun();
    return true;
  };
  const leave = () => {
    parts.onLeave();
    return true;
  };
  const view = new EditorView({
    doc: textarea.value,
    extensions: [
      editorLook(parts.nonce),
      lineNumbers(),
      history(),
      json(),
      bracketMatching(),
      closeBrackets(),
      indentOnInput(),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-labelledby': 'query-label',
        'aria-describedby': 'query-hint',
      }),
      autocompletion({ override: [completionSource(parts)], icons: false }),
      linter(
        ({ state }) =>
          parts.faults(state.doc.toString()).map(({ from, to, message }) => {
            const end = Math.min(to, state.doc.length);
            return { from: Math.min(from, end), to: end, severity: 'error', message };
          }),
        {
          delay: 300,
          needsRefresh: ({ transactions }) =>
            transactions.some(({ effects }) => effects.some((effect) => effect.is(recheck))),
        },
      ),
      lintGutter(),
      Prec.highest(
        keymap.of([
          { key: 'Mod-Enter', run },
          { key: 'Ctrl-Enter', run },
        ]),
      ),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...historyKeymap,
        { key: 'Escape', run: leave },
        ...defaultKeymap,
      ]),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        textarea.value = update.state.doc.toString();
        parts.onChange(textarea.value);
      }),
    ],
  });
  textarea.hidden = true;
  textarea.after(view.dom);
  // The label belongs to the textarea, which cannot take the focus any more.
  for (const label of textarea.labels) label.addEventListener('click', () => view.focus());
  return {
    text: () => view.state.doc.toString(),
    setText(wanted) {
      const text = wanted.replace(/\r\n?/g, '\n');
      const before = view.state.doc.toString();
      const { from, to } = changedRange(before, text);
      const end = before.length - (text.length - to);
      // A step of its own, however fast it follows another.
      const annotations = isolateHistory.of('full');
      view.dispatch({ changes: { from, to: end, insert: text.slice(from, to) }, annotations });
    },
    recheck() {
      view.dispatch({ effects: recheck.of(null) });
      forceLinting(view);
    },
    goTo({ from, to }) {
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
  };
}
