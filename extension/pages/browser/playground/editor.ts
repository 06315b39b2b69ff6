// The editor, which replaces the textarea. The hidden textarea keeps a copy of the text.
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
import { defaultKeymap, history, historyKeymap, invertedEffects, isolateHistory } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { Prec, StateEffect, StateField, Transaction } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import type { QueryEdit } from '../../shared-types/query-check';
import type { Candidate, Completion } from './complete-query';
import { editorTheme, hangingIndent } from './editor-theme';
import type { Fault } from './query-faults';
import type { TextRange } from './query-text';
import { changedRange } from './repair-text';
import type { SavedText } from './saved-queries';

/** Where the text comes from. Undo restores it with the text. */
export interface Origin {
  readonly version: string;
  readonly saved: SavedText | undefined;
}

interface EditorParts {
  readonly textarea: HTMLTextAreaElement;
  /** For the styles, as required by the page's content security policy. */
  readonly nonce: string;
  readonly origin: Origin;
  complete(text: string, offset: number): Completion | null;
  findFaults(text: string): Promise<readonly Fault[]>;
  onRepair(edits: readonly QueryEdit[]): void;
  /** The text or its origin has changed. */
  onChange(): void;
  onRun(): void;
  onSave(): void;
  /** Escape was pressed, and there was nothing to close. */
  onLeave(): void;
}

export interface Editor {
  text(): string;
  /** Changes only the part that differs; can be undone. */
  setText(text: string): void;
  origin(): Origin;
  /** Replaces the text and its origin. Undo restores both. */
  open(text: string, origin: Origin): void;
  /** Replaces only the origin. Cannot be undone. */
  setOrigin(origin: Origin): void;
  /** Checks the text again after something else has changed. */
  recheck(): void;
  goTo(range: TextRange): void;
}

/** Each check is a request, which counts against the rate limit for pages, not the one for queries. */
const LINT_DELAY_MS = 600;
const lintAgain = StateEffect.define<null>();

const setOrigin = StateEffect.define<Origin>();

const originField = StateField.define<Origin>({
  create: () => ({ version: '', saved: undefined }),
  update: (origin, { effects }) =>
    effects.reduce((last, effect) => (effect.is(setOrigin) ? effect.value : last), origin),
});

/** Makes undo restore the origin. */
const undoOrigin = invertedEffects.of(({ startState, effects }) =>
  effects.some((effect) => effect.is(setOrigin)) ? [setOrigin.of(startState.field(originField))] : [],
);

/** Typing these characters filters the open list. */
const SAME_WORD = /^[\w.-]*$/;

function completionSource({ complete }: EditorParts) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const text = state.doc.toString();
    const found = complete(text, pos);
    if (found === null) return null;
    const { from, to, candidates } = found;
    const isInside = text[from - 1] === '"' || text[from - 1] === '(';
    if (!explicit && !isInside && from === pos) return null;
    // Filtering compares the text up to the cursor; a candidate may replace more, such as a closing quote.
    return { from, to: pos, options: candidates.map(optionOf(to - pos)), validFor: SAME_WORD };
  };
}

/** `more`: characters after the cursor that are also replaced. */
const optionOf =
  (more: number) =>
  ({ label, about, apply, caret }: Candidate, index: number) => ({
    label,
    // Equal matches keep their order.
    boost: -index / 1000,
    ...(about === '' ? {} : { info: about }),
    apply(view: EditorView, completion: { readonly label: string }, from: number, to: number) {
      view.dispatch({
        changes: { from, to: to + more, insert: apply },
        selection: { anchor: from + (caret ?? apply.length) },
        userEvent: 'input.complete',
        annotations: pickedCompletion.of(completion),
        scrollIntoView: true,
      });
      // The cursor is inside quotes or brackets: offer the next name.
      if (caret !== undefined) startCompletion(view);
    },
  });

async function diagnose(view: EditorView, { findFaults, onRepair }: EditorParts): Promise<Diagnostic[]> {
  const faults = await findFaults(view.state.doc.toString());
  return faults.map(({ from, to, message, repair }) => ({
    from,
    to,
    message,
    severity: 'error',
    actions: repair === undefined ? [] : [{ name: repair.name, apply: () => onRepair(repair.edits) }],
  }));
}

/** A key binding that always handles its key. */
const bind = (key: string, act: () => void) => ({
  key,
  run() {
    act();
    return true;
  },
});

export function createEditor(parts: EditorParts): Editor {
  const { textarea } = parts;
  const view = new EditorView({
    doc: textarea.value,
    extensions: [
      editorTheme(parts.nonce),
      lineNumbers(),
      history(),
      originField.init(() => parts.origin),
      undoOrigin,
      json(),
      bracketMatching(),
      closeBrackets(),
      indentOnInput(),
      hangingIndent,
      EditorView.contentAttributes.of({
        'aria-labelledby': 'query-label',
        'aria-describedby': 'query-hint',
        // Accessibility checkers require a focusable element in a scrollable box, and not all recognize contenteditable.
        tabindex: '0',
      }),
      autocompletion({ override: [completionSource(parts)], icons: false }),
      linter((view) => diagnose(view, parts), {
        delay: LINT_DELAY_MS,
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((effect) => effect.is(lintAgain))),
      }),
      lintGutter(),
      Prec.highest(
        keymap.of([
          bind('Mod-Enter', parts.onRun),
          bind('Ctrl-Enter', parts.onRun),
          bind('Mod-s', parts.onSave),
        ]),
      ),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...historyKeymap,
        bind('Escape', parts.onLeave),
        ...defaultKeymap,
      ]),
      EditorView.updateListener.of(({ docChanged, startState, state }) => {
        if (!docChanged && startState.field(originField) === state.field(originField)) return;
        textarea.value = state.doc.toString();
        parts.onChange();
      }),
    ],
  });
  textarea.hidden = true;
  textarea.after(view.dom);
  // The label's textarea is hidden and cannot take focus.
  for (const label of textarea.labels) label.addEventListener('click', () => view.focus());
  /** Replaces the text as a separate undo step. */
  function replaceText(wanted: string, effects: readonly StateEffect<Origin>[]): void {
    const text = wanted.replace(/\r\n?/g, '\n');
    const before = view.state.doc.toString();
    const { from, to } = changedRange(before, text);
    const end = before.length - (text.length - to);
    view.dispatch({
      changes: { from, to: end, insert: text.slice(from, to) },
      effects,
      annotations: isolateHistory.of('full'),
    });
  }
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => replaceText(text, []),
    origin: () => view.state.field(originField),
    open: (text, origin) => replaceText(text, [setOrigin.of(origin)]),
    setOrigin(origin) {
      view.dispatch({ effects: setOrigin.of(origin), annotations: Transaction.addToHistory.of(false) });
    },
    recheck() {
      view.dispatch({ effects: lintAgain.of(null) });
      forceLinting(view);
    },
    goTo({ from, to }) {
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
  };
}
